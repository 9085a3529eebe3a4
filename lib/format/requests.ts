import type { InputRequestSummary, RequestState } from "../input-requests/schema.ts";
import { REASONS } from "./events.ts";
import { shorten } from "./labels.ts";
import type { Tone } from "./outcome.ts";

export const REQUEST_LABELS: Record<RequestState, string> = {
  open: "Waiting for a person",
  answered: "Answer on its way",
  settled: "Answered",
  withdrawn: "Withdrawn",
  expired: "Expired",
  undeliverable: "Not delivered",
};

export const REQUEST_TONES: Record<RequestState, Tone> = {
  open: "wait",
  answered: "accent",
  settled: "neutral",
  withdrawn: "neutral",
  expired: "bad",
  undeliverable: "bad",
};

/** What a toast or a dialog calls a request: its label, else the start of its message. */
export function requestName(request: Pick<InputRequestSummary, "label" | "message">): string {
  return request.label ?? `“${shorten(request.message, 40)}”`;
}

/** Why a request takes no answer any more, and what a person can do. */
export function endedWords(state: RequestState, reason: string | null): { what: string; next: string } {
  const because =
    reason && reason !== state ? ` because ${REASONS[reason] ?? reason.replaceAll("_", " ")}` : "";
  switch (state) {
    case "withdrawn":
      return {
        what: `This question was withdrawn${because}.`,
        next: "Nothing needs to be decided here any more.",
      };
    case "expired":
      return {
        what: `This question expired unanswered${because}.`,
        next: "No answer was sent. If the work still matters, start the task again.",
      };
    case "undeliverable":
      return {
        what: `The answer was recorded but the server never took it${because}.`,
        next: "Your decision is kept in the timeline. Look at the task; it may have to be started again.",
      };
    default:
      return {
        what: "This question takes no answer any more.",
        next: "Open the task to see how it went on.",
      };
  }
}
