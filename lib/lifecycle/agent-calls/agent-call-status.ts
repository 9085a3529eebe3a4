/** Rules of agents' calls. Pure; agent-call-writes.ts writes. */
import type { TaskState } from "../../tasks/task-status.ts";

/**
 * How long an unfetched result answers a repeated call, counted from the task's end. Where calling again does harm, an agent
 * that was away over a long weekend still gets it.
 */
const KEPT_MS = 7 * 24 * 3_600_000;
/** The same, where calling again does no harm: a tool's result is soon old. */
const KEPT_REPEATABLE_MS = 10 * 60_000;

/** A result that was sent this recently may still be on its way. */
export const SETTLING_MS = 2_000;

/** What is known of the last call with the same tool and arguments. */
export interface EarlierCall {
  taskId: string;
  /** Whether the agent named it by a key: then every repetition is the same call. */
  byKey: boolean;
  /** Whether it does no harm to call again, by what the server says of the tool, or as nothing was called. */
  repeatable: boolean;
  finishedAt: Date | null;
  sentAt: Date | null;
  fetchedAt: Date | null;
}

/**
 * What a repeated call is. `join`: the same one, whose result nobody has yet. `settling`: nobody knows yet whether the
 * result arrived, so ask again in a moment. `new`: another one.
 */
export function judgeRepeat(earlier: EarlierCall, now: Date): "join" | "settling" | "new" {
  const { byKey, repeatable, finishedAt, sentAt, fetchedAt } = earlier;
  if (byKey) return "join";
  // Of a task that runs still: the agent has cancelled it.
  if (fetchedAt !== null) return "new";
  if (finishedAt === null) return "join";
  const since = (at: Date) => now.getTime() - at.getTime();
  if (sentAt !== null && since(sentAt) < SETTLING_MS) return "settling";
  return since(finishedAt) < (repeatable ? KEPT_REPEATABLE_MS : KEPT_MS) ? "join" : "new";
}

/** Whom an unfinished task waits for. */
export type WaitingFor = "person" | "server";

/** A start of unknown outcome is settled by a person, as a question is answered by one. */
export function waitingFor(state: TaskState, asks: boolean): WaitingFor {
  return asks || state === "input_required" || state === "start_unknown" ? "person" : "server";
}

const SOONEST_MS = 1_000;
const LATEST_MS = 60_000;

/** When to look again: a task that has run for long is not over in a second. */
export function pollAfterMs(ageMs: number): number {
  return Math.round(Math.min(LATEST_MS, Math.max(SOONEST_MS, ageMs / 10)));
}
