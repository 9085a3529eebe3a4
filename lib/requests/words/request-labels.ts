import { REASONS } from "../../tasks/words/task-events.ts";
import { visibleText } from "../../text/foreign/hidden.ts";
import type { Tone } from "../../text/labels.ts";
import { shorten } from "../../text/labels.ts";
import { isApproval } from "../answers/form-buttons.ts";
import { type Reach, reachIn } from "../deliveries/reach.ts";
import type {
  InputRequestDetail,
  InputRequestSummary,
  RequestState,
  RequestWarning,
} from "../request-schema.ts";

export const REQUEST_LABELS: Record<RequestState, string> = {
  open: "Waiting for a person",
  answered: "Answer on its way",
  settled: "Answered",
  withdrawn: "Withdrawn",
  expired: "Expired",
  undeliverable: "Delivery failed",
};

/** What an answer was: its colour and its icon, beside its words. */
export type Outcome = "yes" | "no" | "none" | "answer";

const YES = new Set(["Approved", "Approved with changes", "Accepted", "Confirmed", "Allowed"]);
const NO = new Set(["Rejected", "Refused", "Denied", "Not confirmed"]);

/** Judges by the words of `decidedWords`, which are a plain yes or no only where that is clear. */
export function outcomeOf({
  action,
  words,
}: Pick<NonNullable<InputRequestSummary["answer"]>, "action" | "words">): Outcome {
  if (action !== "accept") return "none";
  return YES.has(words) ? "yes" : NO.has(words) ? "no" : "answer";
}

export const OUTCOME_TONES: Record<Outcome, Tone> = {
  yes: "good",
  no: "bad",
  none: "neutral",
  answer: "neutral",
};

/** A request's state; of one that was decided with a plain word, this word. A server's is told once the server has it. */
export function requestLabel(
  request: Pick<InputRequestSummary, "state" | "answer" | "origin" | "gate" | "tool" | "delivery">,
): string {
  const { state, answer } = request;
  if (isUnknown(request)) return "Delivery unknown";
  if (!answer || (state !== "settled" && state !== "answered")) return REQUEST_LABELS[state];
  const isPlain = state === "settled" && outcomeOf(answer) !== "answer";
  if (isPlain || isApproval(request)) return answer.words;
  return state === "answered" ? wayWords(request) : REQUEST_LABELS[state];
}

/** The colour of `requestLabel`. */
export function requestTone(request: Pick<InputRequestSummary, "state" | "answer" | "delivery">): Tone {
  return isUnknown(request) ? "bad" : REQUEST_TONES[request.state];
}

/** How far the answer has come to a request that waits for its server. */
export function wayWords({ delivery }: Pick<InputRequestSummary, "delivery">): string {
  if (delivery?.state === "accepted") return "Accepted by server";
  return delivery && reachIn(delivery) === "nothing" ? "Not sent yet" : REQUEST_LABELS.answered;
}

/** Whether a request ended while nobody knows whether its server got the answer. */
function isUnknown({ state, answer, delivery }: Pick<InputRequestSummary, "state" | "answer" | "delivery">) {
  const hasEnded = state !== "open" && state !== "answered" && state !== "settled";
  return hasEnded && !!answer && !!delivery && reachIn(delivery) === "unknown";
}

const REQUEST_TONES: Record<RequestState, Tone> = {
  open: "wait",
  answered: "accent",
  settled: "neutral",
  withdrawn: "neutral",
  expired: "bad",
  undeliverable: "bad",
};

export const WARNING_LABELS: Record<RequestWarning, string> = {
  destructive: "Irreversible",
  sum_differs: "Amounts differ",
  currency_differs: "Currency differs",
  overdue: "Long overdue",
};

/** A request's name in a toast or a dialog: its label, else the start of its message. */
export function requestName(request: Pick<InputRequestSummary, "label" | "message">): string {
  return visibleText(request.label ?? `“${shorten(request.message, 40)}”`);
}

/** Who decides on an open request for which the policy has no rule. */
export function whoDecides(
  { urlOwner, secondPerson }: Pick<InputRequestDetail, "urlOwner" | "secondPerson">,
  me: { organization: { name: string }; user: { id: string } },
): string {
  if (urlOwner)
    return `Only ${urlOwner.id === me.user.id ? "you" : urlOwner.name} can accept; others except viewers can decline`;
  return secondPerson
    ? `Any member of ${me.organization.name} can accept, except viewers and the requester`
    : `Any member of ${me.organization.name} except viewers can decide, including the requester`;
}

/** A status that says only that the task waits for somebody, as `Invoice status: PENDING-APPROVAL`. */
const WAITS =
  /^([a-z]+ )?((status|state) )?(pending|awaiting|waiting|needs|requires|input required)( (for|on|an?|the|your))*( (approval|input|answer|decision|confirmation|review|reply|response|person|human|user))?$/;

/** Whether a task's status says no more than an open request does: what it asks, or that it waits. */
export function repeatsRequest(status: string, message: string): boolean {
  const plain = (text: string) =>
    text
      .slice(0, 4_000)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return plain(message).includes(plain(status)) || WAITS.test(plain(status));
}

/** Why a request takes no answer any more, and what the server got. Roles decide what can be done. */
export function endedWords(
  state: RequestState,
  reason: string | null,
  /** How far the request's answer got; null: there was no answer. */
  reach: Reach | null = null,
): { what: string; next: string } {
  const because = reason && reason !== state ? `: ${reasonWords(reason)}` : "";
  const answer = reach && ANSWERS[reach];
  switch (state) {
    case "withdrawn":
      return {
        what: `This question was withdrawn${because}.`,
        next: answer ?? "There is nothing to decide here any more.",
      };
    case "expired":
      return {
        what: `This question’s time ran out${because}.`,
        next: answer ?? "No answer was sent.",
      };
    case "undeliverable":
      return {
        what:
          reach === "unknown"
            ? `Nobody knows whether the answer was delivered${because}.`
            : `The answer could not be delivered${because}.`,
        next:
          reach === null || reach === "nothing"
            ? `The server did not receive it. The decision is kept here.${reason === "not_asked_again" ? " The task may wait forever." : ""}`
            : ANSWERS[reach],
      };
    default:
      return {
        what: "This question takes no answer any more.",
        next: "The task’s page shows what happened next.",
      };
  }
}

const ANSWERS: Record<Reach, string> = {
  nothing: "The answer was not sent. It is kept here.",
  unknown:
    "The connection broke while the answer was being sent. It is unknown whether the server got it. The answer is kept here.",
  taken: "The server had accepted the answer before.",
};

/** One of our codes in words; `rejected` may be followed by the server's text. */
function reasonWords(reason: string): string {
  const refused = /^rejected\b[:\s]*(.*)$/s.exec(reason);
  if (refused) return `the server refused it${refused[1] ? ` (“${shorten(refused[1], 200)}”)` : ""}`;
  const said = /^[a-z_]+$/.test(reason) ? reason.replaceAll("_", " ") : shorten(reason, 300);
  return (Object.hasOwn(REASONS, reason) && REASONS[reason]) || said.replace(/\.$/, "");
}
