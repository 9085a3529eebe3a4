/** Rules of races. Pure, client-safe. */
import type { TaskState } from "../task-status.ts";

/** Whether an ended task succeeded: a result came, and the server does not call it an error. */
export function isSuccess(end: { state: TaskState; isError: boolean; error?: unknown }): boolean {
  return end.state === "completed" && !end.isError && (end.error ?? null) === null;
}
