/** Judgement about races: pure, client-safe. */
import type { TaskState } from "../status.ts";

/** Whether a task that ended so has done what was asked: a result that came, and is no error by the server's account. */
export function isSuccess(end: { state: TaskState; isError: boolean; error?: unknown }): boolean {
  return end.state === "completed" && !end.isError && (end.error ?? null) === null;
}
