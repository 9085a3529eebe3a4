/**
 * The one judge of deliveries: what the server says or does about a question, and what that means for the answer to it.
 * Pure. Polls, streams, attempts and ends of tasks are observations; who writes is input-requests/capture.ts, by
 * transitions.ts. What a person is told follows from `reachOf`: an answer is called unsent only where nothing of it can
 * have reached the server.
 */
import type { TaskState } from "../../tasks/status.ts";
import type { DeliveryFacts } from "./facts.ts";
import { reachOf } from "./status.ts";

export type Observation =
  /** The server asks this very question; `polls`: how often in a row, since this process found the answer in `sending`. */
  | { kind: "asked"; polls: number }
  /** 2026-07-28: another text stands under the key. `restless`: it changes again and again; `fits`: the answer suits it too. */
  | { kind: "reworded"; restless: boolean; fits: boolean; polls: number }
  /** 2026-07-28: the key is missing, for so long by now, in ms. */
  | { kind: "gone"; forMs: number }
  /**
   * 2025-11-25: the task's status is no longer the one in which it asked. `certain`: by this question or the answer to it,
   * as there is nothing else that can have moved it. A status is the whole task's, and says not which of several is over.
   */
  | { kind: "moved"; certain: boolean }
  /** 2025-11-25: the same status with another message. */
  | { kind: "said" }
  /** 2025-11-25: the same question came under a new JSON-RPC id. */
  | { kind: "asked_again" }
  /** 2025-11-25: its last ask was taken back. */
  | { kind: "retracted" }
  /** The server refused the attempt. */
  | { kind: "refused" }
  /** The server broke down over the attempts, too often. */
  | { kind: "broken" }
  /** 2025-11-25: the server was asked for its question, too often in vain. */
  | { kind: "not_asked_again" }
  /** Somebody has asked for the end of the task. */
  | { kind: "cancel_requested" }
  | { kind: "ended"; as: Extract<TaskState, "completed" | "failed" | "cancelled" | "lost" | "expired"> };

/**
 * keep: nothing to write. look_again: nothing is sent until another look. count, flag: a poll still asks for what was
 * accepted. resend: once more by itself. follow: to the newest ask. repeat: once more, as nobody knows what became of
 * the last attempt. await: it was taken before, so the task tells what comes of it. confirm: the server had it, and has
 * moved on. withdraw: the question is over. replace: another one has taken its place. undeliverable: there is no way to
 * the server any more.
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

/** A key that is missing in one poll may be back in the next; it counts as gone after this. */
export const GONE_CONFIRM_MS = 2_000;
/** After this many polls that still show an accepted answer's question, a person is told. */
const FLAG_AFTER_POLLS = 3;
/** How often an answer is sent again by itself to a server that lost it while it was unreachable. */
const MAX_AUTOMATIC_RESENDS = 3;
/** How many times an answer follows a question that 2025-11-25 servers put again under a new JSON-RPC id. */
const MAX_ATTEMPTS_WHEN_ASKED_AGAIN = 5;
/** An attempt of unknown outcome is repeated after this many polls that show its question, */
export const POLLS_BEFORE_REPEAT = 2;
/** and not before this: a slow server may still be at work on it. */
export const REPEAT_AFTER_MS = 10_000;

/** `delivery`: of the live answer to a live question; null: it has none. */
export function judgeDelivery(delivery: DeliveryFacts | null, observed: Observation): Verdict {
  const reach = delivery ? reachOf(delivery) : "nothing";
  switch (observed.kind) {
    case "asked":
      return judgeAsked(delivery, observed.polls);
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
      // Of an attempt of unknown outcome a message that changes by itself must not pass for proof, or it is lost.
      return delivery?.state === "accepted" ? "confirm" : "keep";
    case "asked_again":
      if (delivery?.state !== "accepted") return "keep";
      if (delivery.attempts < MAX_ATTEMPTS_WHEN_ASKED_AGAIN) return "follow";
      return delivery.flagged ? "keep" : "flag";
    case "retracted":
      if (reach === "taken") return delivery?.state === "pending" ? "await" : "keep";
      // Its reply, or the task, tells what came of it.
      return delivery?.state === "sending" ? "keep" : "withdraw";
    case "refused":
    case "broken":
    case "not_asked_again":
      return reach === "taken" ? "await" : "undeliverable";
    case "cancel_requested":
      if (delivery?.state === "sending" || delivery?.state === "accepted") return "keep";
      return reach === "taken" ? "await" : "withdraw";
    case "ended": {
      // A task that went on to its end was waiting for this answer, so it took it; one that vanished proves nothing.
      const wentOn = observed.as === "completed" || observed.as === "failed";
      return reach === "taken" || (reach === "unknown" && wentOn) ? "confirm" : "withdraw";
    }
  }
}

function judgeAsked(delivery: DeliveryFacts | null, polls: number): Verdict {
  if (delivery?.state === "accepted" && !delivery.flagged) {
    if (delivery.pollsSinceAccepted + 1 < FLAG_AFTER_POLLS) return "count";
    const mayResend = delivery.unreachableSinceAccepted && delivery.automaticResends < MAX_AUTOMATIC_RESENDS;
    return mayResend ? "resend" : "flag";
  }
  const isOver = delivery?.state === "sending" && delivery.sentAgoMs >= REPEAT_AFTER_MS;
  return isOver && polls >= POLLS_BEFORE_REPEAT ? "repeat" : "keep";
}

/** An answer goes to the text that was read, or to what its giver agreed to; else the new text is a question of its own. */
function judgeReworded(
  delivery: DeliveryFacts | null,
  { restless, fits, polls }: Extract<Observation, { kind: "reworded" }>,
): Verdict {
  if (!delivery) return "replace";
  const goesOn = delivery.anyWording && fits;
  // Of a text that changes by itself a change proves nothing.
  const isUnmoved = restless && (delivery.state === "accepted" || delivery.state === "sending");
  if (goesOn || isUnmoved) return judgeAsked(delivery, polls);
  return reachOf(delivery) === "taken" ? "confirm" : "replace";
}
