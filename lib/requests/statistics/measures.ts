/** Names of the sums kept per server: pure, client-safe. Written by statistics-writes.ts, read by statistics-reads.ts. */
import type { TaskState } from "../../tasks/task-status.ts";

/** The task states that count as open. */
export const OPEN_STATES = ["queued", "starting", "start_unknown", "working", "input_required"] as const;
export type OpenState = (typeof OPEN_STATES)[number];
export type EndState = Exclude<TaskState, OpenState>;

/** Kinds of bad ends. A cause (tasks/failure-sql.ts) is finer: the code with the message. */
export const FAILURE_KINDS = [
  /** Completed, with a result that reports a tool error. */
  "tool_error",
  /** The server reports the task as failed. */
  "task_failed",
  /** The server crashed during the call. */
  "server_error",
  /** The server refused the call. */
  "rejected",
  /** The server reported a result, but never delivered it. */
  "result_missing",
  /** A person found that a start of unknown outcome never began. */
  "not_started",
  "lost",
  "expired",
  "other",
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** The delivery methods of answers; `none`: never sent. */
export const RUNGS = [
  "update",
  "same_session",
  "asked_again",
  "new_session",
  "retry",
  "fetched",
  "none",
] as const;
export type Rung = (typeof RUNGS)[number];

/** accepted: by the server. confirmed: the task continued. unsent: did not arrive, and is retried. */
export const DELIVERY_RESULTS = ["accepted", "confirmed", "unsent", "flagged", "undeliverable"] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

export type Measure =
  | "started"
  | `ended:${EndState}`
  /** Stored under an older name of the kind. */
  | `cause:${FailureKind}`
  /** Decisions by class of duration, see durations.ts. */
  | `decided:${number}`
  | `delivery:${Rung}:${DeliveryResult}`
  /** Number of samples of open tasks, by which `open:` sums are averaged. */
  | "samples"
  | `open:${OpenState}`;

/** Lengths of a stretch of time, in hours. */
export const STRETCHES = [1, 6] as const;
export type Stretch = (typeof STRETCHES)[number];

/** Returns the start of a moment's stretch, in whole hours since 1970 UTC. */
export function beginOf(at: Date, hours: Stretch): Date {
  const length = hours * 3600_000;
  return new Date(Math.floor(at.getTime() / length) * length);
}

const KNOWN_CODES: readonly string[] = FAILURE_KINDS;

/** Returns the cause named by an ending event, or null for good ends and cancellations. */
export function failureKindOf(
  state: EndState,
  data: { code?: unknown; isError?: unknown },
): FailureKind | null {
  if (state === "cancelled") return null;
  if (state === "completed") return data.isError === true ? "tool_error" : null;
  if (state !== "failed") return state;
  return typeof data.code === "string" && KNOWN_CODES.includes(data.code)
    ? (data.code as FailureKind)
    : "other";
}
