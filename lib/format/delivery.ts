import type { InputRequestSummary } from "../input-requests/schema.ts";

/**
 * How far an answer has come, for one line: `held` can be taken back, `sending` is being tried, `accepted` the server
 * has it, `failed` it never will, `undone` the question is open again.
 */
export type DeliveryStage = "held" | "sending" | "accepted" | "failed" | "undone";

export function deliveryStage({
  state,
  delivery,
}: Pick<InputRequestSummary, "state" | "delivery">): DeliveryStage {
  if (state === "open") return "undone";
  switch (delivery?.state) {
    case "held":
      return "held";
    case "pending":
    case "sending":
      return "sending";
    case "accepted":
    case "confirmed":
      return "accepted";
    default:
      return "failed";
  }
}
