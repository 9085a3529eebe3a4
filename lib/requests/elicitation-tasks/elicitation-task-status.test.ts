import { expect, test } from "vitest";
import { type StatusFacts, statusOf } from "./elicitation-task-status.ts";

test.each<
  [string, StatusFacts["state"], StatusFacts["requestState"], StatusFacts["deliveryState"], string | null]
>([
  ["not known whose it is", "working", null, null, "working"],
  ["open", "working", "open", null, "working"],
  ["answered, and an undo is left", "working", "answered", "held", "working"],
  ["answered, and not told yet", "working", "answered", "pending", "working"],
  ["open again should the server ask", "working", "undeliverable", "failed", "working"],
  ["withdrawn", "working", "withdrawn", null, "cancelled"],
  ["withdrawn after an answer", "working", "withdrawn", "failed", "cancelled"],
  ["answered another way", "working", "settled", "confirmed", "cancelled"],
  ["its time ran out", "working", "expired", null, null],
  ["cancelled by the server", "cancelled", "withdrawn", null, "cancelled"],
  ["cancelled while the answer was sent another way", "cancelled", "settled", "confirmed", "cancelled"],
  ["may be fetched", "completed", "answered", "pending", "completed"],
  ["is being fetched", "completed", "answered", "sending", "completed"],
  ["fetched", "completed", "answered", "accepted", "completed"],
  ["fetched, and the asking task moved on", "completed", "settled", "confirmed", "completed"],
  ["fetched, and the asking task ended", "completed", "settled", "confirmed", "completed"],
  ["people read that it was not sent", "completed", "withdrawn", "failed", null],
  ["the answer was given anew", "completed", "open", null, null],
])("%s", (_, state, requestState, deliveryState, status) => {
  expect(statusOf({ state, requestState, deliveryState })).toBe(status);
});
