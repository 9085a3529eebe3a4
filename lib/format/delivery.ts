import type { InputRequestDetail, InputRequestSummary } from "../input-requests/schema.ts";

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

/** What the way of an answer means for the person who reads it, as a sentence; null where the end is told elsewhere. */
export function deliveryMeaning({
  delivery,
  server,
  connectionState,
}: Pick<InputRequestDetail, "delivery" | "server" | "connectionState">): string | null {
  if (server.pause && (delivery?.state === "held" || delivery?.state === "pending"))
    return `It is kept, and goes to ${server.name} when the server’s pause ends.`;
  switch (delivery?.state) {
    case "held":
      return "Not sent yet: until then it can be taken back.";
    case "pending":
      if (connectionState === "needs_reauth" || connectionState === "not_connected")
        return `It is kept, and goes to ${server.name} once somebody has signed in there.`;
      return delivery.attempts > 0
        ? `It has not reached ${server.name} yet. Intray keeps trying; nothing needs to be done.`
        : `It goes to ${server.name} now. Nothing needs to be done.`;
    case "sending":
      return `It goes to ${server.name} now. Nothing needs to be done.`;
    case "accepted":
      return delivery.flagged ? null : `${server.name} has it. The task has not moved on yet.`;
    case "confirmed":
      return `${server.name} has it, and the task went on with it.`;
    default:
      return null;
  }
}
