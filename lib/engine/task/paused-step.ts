/** Steps of a task while nothing may be sent to its paused or failing server: stores what was received. */

import { PeerError } from "../../mcp/peer-error.ts";
import { hasEnded, isRunning } from "../../tasks/task-status.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { type CallOutcome, isStale, markStale, type WatchedTask } from "../watcher/watched-task.ts";
import { storeCallOutcome } from "./call-outcome.ts";
import { nextTurn } from "./open-call.ts";
import { reload } from "./reload.ts";
import { wasNotRun } from "./send-call.ts";
import { endHolds, storeProgress } from "./step.ts";

/**
 * Takes a step without calling the server. Open streams and calls stay open, because closing them would lose
 * their messages. An ended task stays watched, so that its session is closed when the server continues.
 * Returns the pause until the next look, in ms.
 */
export async function stepWhilePaused(ctx: WatcherContext, task: WatchedTask): Promise<number> {
  if (!(await reload(ctx, task))) {
    markStale(task);
    return nextTurn(task);
  }
  const { work } = task;
  const { call } = task.calls;
  const isOurs = work.state === "starting" || (!work.durable && !hasEnded(work.state));
  if (call?.result && isOurs && canBeSettled(call.result)) await storeCallOutcome(ctx, task, call);
  await endHolds(ctx, task);
  if (isRunning(work.state)) await storeProgress(ctx, task);
  return isStale(task) ? 0 : nextTurn(task);
}

/** Returns whether memory holds a reply or progress that the server may not send again. */
export function hasToStore({ calls: { call }, cold }: WatchedTask): boolean {
  return Boolean(call?.result) || cold.progress !== null;
}

/** Returns whether the outcome can be stored without asking the server anything. */
function canBeSettled(came: CallOutcome): boolean {
  if ("outcome" in came) return true;
  return came.error instanceof PeerError && wasNotRun(came.error) && came.error.code !== "header_mismatch";
}
