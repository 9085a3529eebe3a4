/** Rules of tasks. Pure, client-safe. docs/data-flow.md lists the files that write each state. */
import { isRecord } from "../text/json.ts";

export const TASK_STATES = [
  "queued",
  "starting",
  "start_unknown",
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
  "lost",
  "expired",
] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** The states to which a task may move from each. Staying is no move. The database enforces the same; a test compares. */
export const TASK_MOVES: Record<TaskState, readonly TaskState[]> = {
  // failed: the approval in front of the call was declined, ran out, or was withdrawn since the tool changed; or a rule denies it since
  queued: ["starting", "failed", "cancelled"],
  // back to queued: the call is known not to have reached the server
  starting: ["queued", "working", "input_required", "completed", "failed", "cancelled", "start_unknown"],
  start_unknown: ["working", "input_required", "failed"],
  // starting: an open call that broke off and may be made again
  working: ["starting", "input_required", "completed", "failed", "cancelled", "lost", "expired"],
  // starting: the retry of a multi round trip
  input_required: ["working", "starting", "completed", "failed", "cancelled", "lost", "expired"],
  completed: [],
  failed: [],
  cancelled: [],
  lost: [],
  expired: [],
};

/** How the approval in front of a call stands; until it is `approved` nothing is called. */
export const GATE_STATES = ["waiting", "approved", "declined", "expired", "withdrawn"] as const;

/** Terminal is terminal: later news from the server is noted, never applied. */
export function hasEnded(state: TaskState): boolean {
  return TASK_MOVES[state].length === 0;
}

/** States in which a task runs: at its server, or as a call that is open or waits for a round's answers. */
export function isRunning(state: TaskState): state is "working" | "input_required" {
  return state === "working" || state === "input_required";
}

/** Whether repeating the tool does no harm, by the server's own unverified declaration. */
export function isRepeatable(annotations: Record<string, unknown> | null | undefined): boolean {
  return annotations?.idempotentHint === true || annotations?.readOnlyHint === true;
}

/** How long a task may go without a change before a person should look, in ms. */
export const STALLED_AFTER_MS = 6 * 3600_000;
export const START_STALLED_AFTER_MS = 60_000;

/** Whether a task is stalled: by our clock alone, so that no server's clock can make the badge flap. */
export function isStalled(
  task: { state: TaskState; changedAt: Date; startAfter: Date | null; asks: boolean; gate: string | null },
  now: Date,
): boolean {
  // A call that waits for its approval waits for a person.
  if (task.gate === "waiting") return false;
  // A task that may not start yet is not late.
  const since = Math.max(task.changedAt.getTime(), task.startAfter?.getTime() ?? 0);
  const quietMs = now.getTime() - since;
  if (task.state === "working") return !task.asks && quietMs > STALLED_AFTER_MS;
  if (task.state === "queued" || task.state === "starting") return quietMs > START_STALLED_AFTER_MS;
  return false;
}

/** Begins the idempotency keys of the tasks that the demonstration starts. */
export const DEMO_KEY = "demonstration/";

const LABEL_KEY = /(^|_)(id|number|no|key|name|title|subject|file|filename|path|topic)$/;

/**
 * Returns a short name for lists out of a tool's arguments, or null if none stands out: the first short
 * string (or whole number) under a key that names things, e.g. `invoice_id`; nested one level.
 */
export function labelOf(args: Record<string, unknown>): string | null {
  const entries = Object.entries(args).flatMap(([key, value]) =>
    isRecord(value) ? Object.entries(value) : [[key, value] as const],
  );
  for (const [key, value] of entries) {
    const snake = key.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
    if (!LABEL_KEY.test(snake)) continue;
    if (typeof value === "string" && value.trim() !== "" && value.length <= 60) return value.trim();
    if (typeof value === "number" && Number.isInteger(value)) return String(value);
  }
  return null;
}
