/**
 * Judges deliveries: what an observation of the server means for the answer to a question. Pure. Polls,
 * streams, attempts and ends of tasks are observations; `lib/requests/capture` writes the verdicts
 * through `delivery-writes.ts`. The words shown to people follow from `reachOf`: an answer is called unsent only
 * where nothing of it can have reached the server.
 */
import type { TaskState } from "../../tasks/task-status.ts";
import type { DeliveryFacts } from "./delivery-facts.ts";
import { reachOf } from "./reach.ts";

/** For an answer that is itself a tool call: whether the call may be repeated. */
export type AnswerCall = "once" | "repeatable";

export type Observation =
  /** The server asks this question. `polls`: successive polls in this process with the answer `sending`. */
  | { kind: "asked"; polls: number; call?: AnswerCall }
  /**
   * 2026-07-28: the key shows another text. `restless`: the text changes again and again; `fits`: the answer
   * suits the new text.
   */
  | { kind: "reworded"; restless: boolean; fits: boolean; polls: number; call?: AnswerCall }
  /** 2026-07-28: the key has been missing for this many ms. */
  | { kind: "gone"; forMs: number }
  /**
   * 2025-11-25: the task's status is no longer the one in which it asked. `certain`: nothing but this
   * question or its answer can have moved the task. A status is the whole task's, and names no question.
   */
  | { kind: "moved"; certain: boolean }
  /** 2025-11-25: the same status with another message. */
  | { kind: "said" }
  /** 2025-11-25: the same question came under a new JSON-RPC id. `isLost`: in another session than the answer was fetched in. */
  | { kind: "asked_again"; isLost?: boolean }
  /** 2025-11-25: the server took the question's last ask back. */
  | { kind: "retracted" }
  /** The server refused the attempt. */
  | { kind: "refused" }
  /** The server failed over the attempts, too often. */
  | { kind: "broken" }
  /** 2025-11-25: the server was called upon to put its question again, too often in vain. */
  | { kind: "not_asked_again" }
  /** Somebody has requested the task's cancellation. */
  | { kind: "cancel_requested" }
  | { kind: "ended"; as: Extract<TaskState, "completed" | "failed" | "cancelled" | "lost" | "expired"> };

/**
 * keep: write nothing. look_again: send nothing until another look. count, flag: a poll still shows the
 * question of an accepted answer. resend: send again automatically. follow: send to the newest ask. repeat:
 * send again, as the last attempt's outcome is unknown. await: the server took the answer before, so the task
 * tells the outcome. confirm: the server had the answer, and has moved on. withdraw: the question is over.
 * replace: another question has taken its place. undeliverable: no way to the server is left.
 */
export type Verdict =
  | "keep"
  | "look_again"
  | "count"
  | "flag"
  | "resend"
  | "follow"
  | "repeat"
  | "await"
  | "confirm"
  | "withdraw"
  | "replace"
  | "undeliverable";

/** How long a key must be missing to count as gone, since it may be back in the next poll. */
export const GONE_CONFIRM_MS = 2_000;
/** Polls that still show the question of an accepted answer before a person is told. */
const FLAG_AFTER_POLLS = 3;
/** How often an answer is resent automatically to a server that lost it while unreachable. */
const MAX_AUTOMATIC_RESENDS = 3;
/** Attempts of one answer when a 2025-11-25 server puts its question again under new JSON-RPC ids. */
const MAX_ATTEMPTS_WHEN_ASKED_AGAIN = 5;
/** Polls that must show the question before an attempt of unknown outcome is repeated. */
export const POLLS_BEFORE_REPEAT = 2;
/** Least age of an attempt of unknown outcome before a repetition: a slow server may still work on it. */
export const REPEAT_AFTER_MS = 10_000;
/** The same of the call of a tool, before it is made again or a person is asked again: the tool may still work on it. */
export const CALL_DOUBT_MS = 60_000;

/** Judges the live answer of a live question. `delivery`: null if the question has no answer. */
export function judgeDelivery(delivery: DeliveryFacts | null, observed: Observation): Verdict {
  const reach = delivery ? reachOf(delivery) : "nothing";
  switch (observed.kind) {
    case "asked":
      return judgeAsked(delivery, observed);
    case "reworded":
      return judgeReworded(delivery, observed);
    case "gone":
      if (reach === "taken") return "confirm";
      if (observed.forMs < GONE_CONFIRM_MS) return "look_again";
      return reach === "unknown" ? "confirm" : "withdraw";
    case "moved":
      if (reach === "taken") return "confirm";
      if (!observed.certain) return "keep";
      return reach === "unknown" ? "confirm" : "withdraw";
    case "said":
      // Another message is no proof that a server read an attempt of unknown outcome; taking it for one could
      // lose the answer.
      return delivery?.state === "accepted" ? "confirm" : "keep";
    case "asked_again":
      // Nobody will fetch it there any more.
      if (delivery?.state === "sending" && observed.isLost) return "repeat";
      if (delivery?.state !== "accepted") return "keep";
      if (delivery.attempts < MAX_ATTEMPTS_WHEN_ASKED_AGAIN) return "follow";
      return delivery.flagged ? "keep" : "flag";
    case "retracted":
      if (reach === "taken") return delivery?.state === "pending" ? "await" : "keep";
      // The attempt's reply, or the task, tells the outcome.
      return delivery?.state === "sending" ? "keep" : "withdraw";
    case "refused":
    case "broken":
    case "not_asked_again":
      return reach === "taken" ? "await" : "undeliverable";
    case "cancel_requested":
      if (delivery?.state === "sending" || delivery?.state === "accepted") return "keep";
      return reach === "taken" ? "await" : "withdraw";
    case "ended": {
      // A task that completed or failed was waiting for this answer, so it took the answer; any other end
      // proves nothing.
      const wentOn = observed.as === "completed" || observed.as === "failed";
      return reach === "taken" || (reach === "unknown" && wentOn) ? "confirm" : "withdraw";
    }
  }
}

function judgeAsked(
  delivery: DeliveryFacts | null,
  { polls, call }: { polls: number; call?: AnswerCall },
): Verdict {
  if (delivery?.state === "accepted" && !delivery.flagged) {
    if (delivery.pollsSinceAccepted + 1 < FLAG_AFTER_POLLS) return "count";
    const mayResend =
      call !== "once" &&
      delivery.unreachableSinceAccepted &&
      delivery.automaticResends < MAX_AUTOMATIC_RESENDS;
    return mayResend ? "resend" : "flag";
  }
  if (!delivery || !isInDoubt(delivery, call) || polls < POLLS_BEFORE_REPEAT) return "keep";
  return call === "once" ? "undeliverable" : "repeat";
}

/** Whether an attempt of unknown outcome is so old that nothing of it can be under way. */
function isInDoubt({ state, sentAgoMs }: DeliveryFacts, call: AnswerCall | undefined): boolean {
  return state === "sending" && sentAgoMs >= (call ? CALL_DOUBT_MS : REPEAT_AFTER_MS);
}

/**
 * An answer goes to the text that was read, or to any wording if its author agreed; otherwise the new text
 * replaces the question.
 */
function judgeReworded(
  delivery: DeliveryFacts | null,
  { restless, fits, ...asked }: Extract<Observation, { kind: "reworded" }>,
): Verdict {
  if (!delivery) return "replace";
  const goesOn = delivery.anyWording && fits;
  // A change proves nothing about a text that changes by itself.
  const isUnmoved = restless && (delivery.state === "accepted" || delivery.state === "sending");
  // A call may still be under way, whatever is said meanwhile; one that may be made twice is not made again for another text.
  const isCalled = asked.call !== undefined && delivery.state === "sending";
  const mayBeUnderWay = isCalled && (asked.call === "once" || !isInDoubt(delivery, asked.call));
  if (goesOn || isUnmoved || mayBeUnderWay) return judgeAsked(delivery, asked);
  return reachOf(delivery) === "taken" ? "confirm" : "replace";
}
