/** Poll intervals and backoff. Pure; durations in ms. */

import type { TaskWork } from "../../lifecycle/engine-task.ts";
import { hasEnded, isRunning } from "../../tasks/task-status.ts";
import {
  BACKOFF_BASE_MS,
  BACKOFF_CAP_MS,
  DEFAULT_POLL_MS,
  FIRST_LOOKS_APART_MS,
  FIRST_LOOKS_WITHIN_MS,
  MIN_POLL_MS,
  OLD_TASK_MS,
  READ_CHARACTERS_PER_MS,
  SLOW_POLL_MS,
  SLOWEST_POLL_MS,
} from "../tunables.ts";

/** Polls at the server's own pace before the interval begins to stretch. */
const PATIENCE = 5;
const STRETCH = 1.5;

/**
 * Returns the pause before the next poll: at least the server's interval, stretched while nothing changes up to 30 s (5 min
 * for tasks older than a day, and for those that ended here while their server goes on). `unchangedPolls` counts the polls
 * since the last change. Large replies (`replySize`, in characters) lengthen the pause.
 */
export function pollDelay(task: {
  pollIntervalMs: number | null;
  unchangedPolls: number;
  ageMs: number;
  state: TaskWork["state"];
  replySize?: number;
}): number {
  const readMs = (task.replySize ?? 0) / READ_CHARACTERS_PER_MS;
  const floor = Math.max(MIN_POLL_MS, task.pollIntervalMs ?? DEFAULT_POLL_MS, readMs);
  const isSlow = task.ageMs > OLD_TASK_MS || hasEnded(task.state);
  const cap = Math.max(floor, isSlow ? SLOWEST_POLL_MS : SLOW_POLL_MS);
  const stretched = floor * STRETCH ** Math.min(40, Math.max(0, task.unchangedPolls - PATIENCE));
  return Math.round(Math.min(cap, stretched));
}

/** Multiples of the golden ratio, modulo 1, spread evenly for any count. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Returns the pause before the first poll of a task that was watched before, by this engine or another.
 * `before` is the number of tasks already scheduled. Tasks with work to do are polled at once; running tasks
 * are spread, because polls that begin together stay together and need a connection each.
 */
export function firstLookIn(work: TaskWork, before: number): number {
  const isBusy =
    !isRunning(work.state) || work.cancelRequested || work.requests.some(({ state }) => state === "answered");
  if (isBusy) return 0;
  const range = Math.max(FIRST_LOOKS_WITHIN_MS, before * FIRST_LOOKS_APART_MS);
  return ((before * GOLDEN) % 1) * Math.min(pollDelay(work), range);
}

/** Full jitter: a random pause up to base × 2^(failures-1), and at least a tenth of that. */
export function backoffDelay(failures: number, random: () => number = Math.random): number {
  const ceiling = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.min(20, failures - 1));
  return Math.round(ceiling * (0.1 + 0.9 * random()));
}
