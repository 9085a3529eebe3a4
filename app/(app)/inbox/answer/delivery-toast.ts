import type { Reach } from "@/lib/requests/deliveries/reach.ts";
import type { InputRequestDetail } from "@/lib/requests/request-schema.ts";
import { answerFetchedAt, type DeliveryStage, receivedWords } from "@/lib/requests/words/delivery.ts";
import { receiverOf } from "@/lib/requests/words/own-questions.ts";

/** What a toast says of a decision on its way. */
export type DeliveryToast =
  /** `after`: what happens then, as a sentence that goes on with a time. `coming`: the same in short. */
  | { kind: "held"; after: string; coming: string }
  /** Goes by itself. */
  | { kind: "line"; words: string }
  /** Stays until it is closed, with a link to the request. */
  | { kind: "failed"; words: string };

/**
 * Returns the toast of a stage, or null if the undo shows its own. `what`: for example `Approved INV-100`.
 * `reach`: how far the answer got.
 */
export function deliveryToast(
  request: Pick<
    InputRequestDetail,
    "origin" | "gate" | "server" | "tool" | "requestedBy" | "answer" | "task" | "delivery"
  >,
  stage: DeliveryStage,
  what: string,
  reach: Reach | null,
): DeliveryToast | null {
  const isOwn = request.origin === "intray";
  const receiver = receiverOf(request);
  switch (stage) {
    case "held":
      if (!isOwn) return { kind: "held", after: `The answer is sent to ${receiver}`, coming: "sending in" };
      return {
        kind: "held",
        after: request.gate ? "The call is decided" : "The answer is final",
        coming: request.gate ? "takes effect in" : "final in",
      };
    case "sending":
      return { kind: "line", words: `${what} · recorded${isOwn ? "" : `, sending to ${receiver}`}` };
    case "accepted": {
      if (isOwn) {
        const isKnown = request.gate !== null || answerFetchedAt(request) !== null;
        return { kind: "line", words: `${what} · ${isKnown ? "" : "recorded; "}${receivedWords(request)}` };
      }
      const done = request.delivery?.acceptedAt ? `accepted by ${receiver}` : "the task moved on";
      return { kind: "line", words: `${what} · ${done}` };
    }
    case "failed": {
      const unreached =
        reach !== null && reach !== "nothing"
          ? `the question has ended, and it is not known whether ${receiver} used the answer`
          : `the answer did not reach ${receiver}`;
      return { kind: "failed", words: `${what}, but ${unreached}.` };
    }
    case "undone":
      return null;
  }
}
