/**
 * What is added up for every server, and under which name: pure, client-safe. transitions.ts writes it, queries.ts
 * reads it.
 */
import type { TaskState } from "../tasks/status.ts";

/** The states of a task that has not ended, and of one that has, as they are counted. */
export const OPEN_STATES = ["queued", "starting", "start_unknown", "working", "input_required"] as const;
export type OpenState = (typeof OPEN_STATES)[number];
export type EndState = Exclude<TaskState, OpenState>;

/** Why a task did not come to a good end. */
export const CAUSES = [
  /** It completed, and its result says that the tool failed. */
  "tool_error",
  /** The server says that the task failed. */
  "task_failed",
  /** The server broke down over it. */
  "server_error",
  /** The server refused the call. */
  "rejected",
  /** The server says that there is a result, and never gave it. */
  "result_missing",
  /** A person found that a start of unknown outcome never began. */
  "not_started",
  "lost",
  "expired",
  "other",
] as const;
export type Cause = (typeof CAUSES)[number];

/** Which way an answer took; `none`: it never left. */
export const RUNGS = ["update", "same_session", "asked_again", "new_session", "retry", "none"] as const;
export type Rung = (typeof RUNGS)[number];

/** accepted: the server took it. confirmed: the task moved on. unsent: it did not arrive, and is tried again. */
export const DELIVERY_RESULTS = ["accepted", "confirmed", "unsent", "flagged", "undeliverable"] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

export type Measure =
  | "started"
  | `ended:${EndState}`
  | `cause:${Cause}`
  /** Decisions, by how long they took: see durations.ts. */
  | `decided:${number}`
  | `delivery:${Rung}:${DeliveryResult}`
  /** How often the open tasks were counted, and the sum of what was found. */
  | "samples"
  | `open:${OpenState}`;

/** Lengths of stretches, in hours. */
export const STRETCHES = [1, 6] as const;
export type Stretch = (typeof STRETCHES)[number];

/** When the stretch begins that a moment lies in; whole hours since 1970, UTC. */
export function beginOf(at: Date, hours: Stretch): Date {
  const length = hours * 3600_000;
  return new Date(Math.floor(at.getTime() / length) * length);
}

const KNOWN_CODES: readonly string[] = CAUSES;

/** The cause that an ending event names; null: there was none to complain of. */
export function causeOf(state: EndState, data: { code?: unknown; isError?: unknown }): Cause | null {
  if (state === "cancelled") return null;
  if (state === "completed") return data.isError === true ? "tool_error" : null;
  if (state !== "failed") return state;
  return typeof data.code === "string" && KNOWN_CODES.includes(data.code) ? (data.code as Cause) : "other";
}
