import type { RequestWork, TaskWork } from "../../lifecycle/engine-task.ts";
import { hasEnded } from "../../tasks/task-status.ts";
import type { WatcherContext } from "../watcher/context.ts";
import {
  clockMs,
  isStale,
  type OpenCall,
  setCalls,
  setCold,
  type WatchedTask,
} from "../watcher/watched-task.ts";

/** Reads the task again where the database may have changed since. Returns false if it is watched no more. */
export async function reload(ctx: WatcherContext, task: WatchedTask): Promise<boolean> {
  if (!isStale(task)) return true;
  const { work, at } = await newestWork(ctx, task);
  if (!work) return false;
  const was = task.work;
  const moved = work.state !== was.state || work.statusMessage !== was.statusMessage;
  if (
    moved ||
    work.requests.length !== was.requests.length ||
    work.refreshRequestedAt !== was.refreshRequestedAt
  ) {
    task.unchangedPolls = 0;
    setCold(task, { resultStreamAgainAt: 0, unasked: 0 });
  }
  task.work = work;
  task.loadedAt = at;
  if (
    work.state === "input_required" &&
    was.requests.some((request) => isAnswered(request) && !isAmong(request, work))
  )
    setCold(task, { answerSettledAt: clockMs() });
  // The transaction just read has settled the call.
  if (task.calls.call && !awaits(work, task.calls.call)) {
    task.calls.call.close();
    setCalls(task, { call: null });
  }
  return true;
}

/** Returns what the task's last write has read, if nothing may have changed since; else reads. */
async function newestWork(
  ctx: WatcherContext,
  task: WatchedTask,
): Promise<{ work: TaskWork | null; at: number }> {
  const { hints } = task;
  const { written } = task.cold;
  if (written) setCold(task, { written: null });
  const isNewest = written?.hints === hints;
  const read = isNewest ? written : { work: await ctx.load(task.id), at: clockMs() };
  // Only now: until then others would take the old reading for the newest.
  task.hintsRead = hints;
  return read;
}

/** Returns whether the request has an answer that may have reached the server. */
function isAnswered({ delivery }: RequestWork): boolean {
  return delivery !== null && delivery.state !== "held";
}

function isAmong({ id }: RequestWork, { requests }: TaskWork): boolean {
  return requests.some((other) => other.id === id);
}

function awaits({ state, durable, attemptId }: TaskWork, { attempt }: OpenCall): boolean {
  return attemptId === attempt && (state === "starting" || (!durable && !hasEnded(state)));
}
