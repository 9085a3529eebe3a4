import { flushWatchTimes, recordStatuses } from "../../lifecycle/running-task-writes.ts";
import { FLUSHED_AT_ONCE } from "../tunables.ts";
import type { WatcherContext } from "./context.ts";
import type { ServerLink } from "./server-link.ts";
import type { WatchedTask } from "./watched-task.ts";
import { clockMs, markStale, setCold } from "./watched-task.ts";

/**
 * Stores call statistics, and check times of tasks whose poll interval has changed. Readers compute the check
 * times of steady polls (lib/tasks/task-row.ts).
 */
export async function flush(
  ctx: WatcherContext,
  link: ServerLink,
  tasks: Iterable<WatchedTask>,
): Promise<void> {
  const changed: WatchedTask[] = [];
  for (const task of tasks) if (task.timesChanged) changed.push(task);
  const counted = link.calls.take();
  if (counted)
    await ctx
      .transaction((tx) => link.flushCalls(tx, counted))
      .catch((error: unknown) => {
        link.calls.giveBack(counted);
        throw error;
      });
  for (let first = 0; first < changed.length; first += FLUSHED_AT_ONCE)
    await flushTimes(ctx, changed.slice(first, first + FLUSHED_AT_ONCE));
}

async function flushTimes(ctx: WatcherContext, changed: WatchedTask[]): Promise<void> {
  for (const task of changed) task.timesChanged = false;
  const zero = Date.now() - performance.now();
  const times = changed.map((task) => ({
    taskId: task.id,
    lastCheckedAt: new Date(zero + task.checkedAt),
    nextCheckAt: new Date(zero + task.nextCheckAt),
    unchangedPolls: task.unchangedPolls,
  }));
  await ctx.transaction((tx) => flushWatchTimes(tx, times));
}

/**
 * Stores status messages that polls left in memory, even if the server is failing by now. A newer message
 * that a step writes meanwhile wins.
 */
export async function flushMinorStatuses(ctx: WatcherContext, tasks: Iterable<WatchedTask>): Promise<void> {
  const changed: WatchedTask[] = [];
  for (const task of tasks) if (task.cold.minorStatus) changed.push(task);
  for (let first = 0; first < changed.length; first += FLUSHED_AT_ONCE) {
    const some = changed.slice(first, first + FLUSHED_AT_ONCE);
    const statuses = some.map(({ id, work, cold }) => {
      return { ...cold.minorStatus!, taskId: id, replaces: work.statusMessage };
    });
    await ctx.transaction((tx) => recordStatuses(tx, statuses));
    for (const [at, task] of some.entries()) {
      markStale(task);
      task.minorStatusAt = clockMs();
      const { statusMessage } = statuses[at]!;
      if (task.cold.minorStatus?.statusMessage === statusMessage) setCold(task, { minorStatus: null });
    }
  }
}
