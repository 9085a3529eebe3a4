import { expect, test } from "vitest";
import type { DeliveryState, RequestState } from "../../input-requests/schema.ts";
import { deliveryStage } from "./delivery.ts";

test.each<[RequestState, DeliveryState | null, string]>([
  ["answered", "held", "held"],
  ["answered", "pending", "sending"],
  ["answered", "sending", "sending"],
  ["answered", "accepted", "accepted"],
  ["settled", "confirmed", "accepted"],
  ["open", "undone", "undone"],
  ["withdrawn", "failed", "failed"],
  ["undeliverable", "failed", "failed"],
  ["expired", null, "failed"],
])("a request that is %s with a delivery that is %s: %s", (state, delivery, stage) => {
  expect(
    deliveryStage({
      state,
      delivery: delivery && {
        state: delivery,
        attempts: 1,
        deliverAfter: "2026-01-01T00:00:00.000Z",
        sentAt: null,
        acceptedAt: null,
        confirmedAt: null,
        flagged: false,
        inDoubt: false,
        waitingSince: null,
        error: null,
      },
    }),
  ).toBe(stage);
});
