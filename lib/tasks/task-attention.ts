/**
 * Reasons why a task does not move, or soon needs a person. Pure, client-safe; attention-sql.ts evaluates
 * them for rows. Times are by our clock alone, so that no server's clock can make a badge flap. Durations in
 * ms.
 */
import type { TaskState } from "./task-status.ts";
import { STALLED_AFTER_MS, START_STALLED_AFTER_MS } from "./task-status.ts";

/** How long an answer may be due and unsent. */
export const ANSWER_WAITING_MS = 30_000;
/** How soon before its end a waiting task is shown. */
export const EXPIRING_MS = 3600_000;
/** How long a question may go unanswered. */
const WAITING_LONG_MS = 24 * 3600_000;
/** How long a lost task is shown, unless it was started again. */
export const LOST_SHOWN_MS = 24 * 3600_000;
/** An engine that was not seen for this long counts as dead. */
export const NO_ENGINE_MS = 15_000;

/** In order of precedence: a task has the first code that holds. */
export const ATTENTION_CODES = [
  "start_unknown",
  "question_unattributed",
  "undeliverable",
  "delivery_flagged",
  "no_engine",
  "server_paused",
  "needs_sign_in",
  "server_unreachable",
  "server_failing",
  "answer_waiting",
  "start_slow",
  "state_unknown",
  "stalled",
  "lost",
  "expiring",
  "waiting_long",
] as const;
export type AttentionCode = (typeof ATTENTION_CODES)[number];

/** `stuck`: the task won't move unless a person acts. `watch`: soon too late, or worth a look. */
export type Severity = "stuck" | "watch";

interface Reason {
  severity: Severity;
  /** The badge's text. */
  label: string;
  /** The problem and the remedy. */
  words: string;
  /** The states in which the code can hold. */
  states: readonly TaskState[];
}

export const ATTENTION: Record<AttentionCode, Reason> = {
  start_unknown: {
    severity: "stuck",
    label: "Start unknown",
    words: "It is unknown whether the server took the call. Settle it on the task’s page.",
    states: ["start_unknown"],
  },
  question_unattributed: {
    severity: "stuck",
    label: "Question without task",
    words:
      "The server asked a question without saying which task it belongs to: this one, or another of the same session. Intray asks for it again, one task at a time.",
    states: ["starting", "working", "input_required", "start_unknown"],
  },
  undeliverable: {
    severity: "stuck",
    label: "Delivery failed",
    words:
      "The delivery of an answer failed; its request says what the server got. If the task does not continue, cancel it and start it again.",
    states: ["working", "input_required"],
  },
  delivery_flagged: {
    severity: "stuck",
    label: "Keeps asking",
    words: "The server took the answer but keeps asking for it. Send the same answer again from the request.",
    states: ["working", "input_required"],
  },
  no_engine: {
    severity: "stuck",
    label: "No engine",
    words: "No engine runs, so nothing is started, checked or delivered. Tell the person who runs Intray.",
    states: ["queued", "starting", "working", "input_required"],
  },
  server_paused: {
    severity: "stuck",
    label: "Server paused",
    words: "Its server is paused: nothing is sent there. The task continues when the pause ends.",
    states: ["queued", "starting", "working", "input_required"],
  },
  needs_sign_in: {
    severity: "stuck",
    label: "Needs sign-in",
    words: "The server no longer accepts the sign-in. Connect again on the server’s page.",
    states: ["queued", "starting", "working", "input_required"],
  },
  server_unreachable: {
    severity: "stuck",
    label: "Server unreachable",
    words: "The server can’t be reached. The task continues once it is back.",
    states: ["queued", "starting", "working", "input_required"],
  },
  server_failing: {
    severity: "stuck",
    label: "Server failing",
    words: "The server answers with errors. The task continues once the server works again.",
    states: ["queued", "starting", "working", "input_required"],
  },
  answer_waiting: {
    severity: "stuck",
    label: "Answer waiting",
    words:
      "An answer could not be sent for half a minute. Intray keeps trying; the request says what it waits for.",
    states: ["working", "input_required"],
  },
  start_slow: {
    severity: "stuck",
    label: "Slow to start",
    words:
      "The call has not been made, or not been answered, for more than a minute: other tasks come first, or the server is slow.",
    states: ["queued", "starting"],
  },
  state_unknown: {
    severity: "stuck",
    label: "Unknown state",
    words:
      "For an hour Intray, or the task’s recipe, has not known the state that the server reports. Intray keeps asking. Look at the server, cancel the task, or change the recipe for later tasks.",
    states: ["working", "input_required"],
  },
  stalled: {
    severity: "stuck",
    label: "Stalled",
    words:
      "The server says that it works, but nothing has changed for hours. Contact the server’s owner, or cancel.",
    states: ["working"],
  },
  lost: {
    severity: "watch",
    label: "Lost by server",
    words: "The server no longer knows the task. Start it again if it is still needed.",
    states: ["lost"],
  },
  expiring: {
    severity: "watch",
    label: "Expires soon",
    words: "It expires within the hour and still waits for a person.",
    states: ["input_required"],
  },
  waiting_long: {
    severity: "watch",
    label: "Waiting long",
    words: "It has waited for a person for more than a day.",
    states: ["queued", "working", "input_required"],
  },
};

/** How long a server may report what Intray, or a task's recipe, does not know. */
export const UNKNOWN_MS = 3600_000;

/** How long a task may go without a change before a code holds; other codes hold at once. */
export const QUIET_MS = {
  start_slow: START_STALLED_AFTER_MS,
  stalled: STALLED_AFTER_MS,
  waiting_long: WAITING_LONG_MS,
} as const;

/** Whether a task does not go on by itself, so that it wants an owner. */
export function isStuck({ attention }: { attention: { code: AttentionCode } | null }): boolean {
  return attention !== null && ATTENTION[attention.code].severity === "stuck";
}

export function codesOf(severity: Severity): AttentionCode[] {
  return ATTENTION_CODES.filter((code) => ATTENTION[code].severity === severity);
}
