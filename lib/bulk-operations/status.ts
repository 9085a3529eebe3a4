import { hasEnded, TASK_STATES, type TaskState } from "../tasks/status.ts";
import type { BulkAction } from "./schema.ts";

/** Whether an action can be done to a task in this state. */
function suits(action: BulkAction, state: TaskState): boolean {
  if (action === "restart") return hasEnded(state);
  return !hasEnded(state) && state !== "start_unknown";
}

export function suitableStates(action: BulkAction): TaskState[] {
  return TASK_STATES.filter((state) => suits(action, state));
}
