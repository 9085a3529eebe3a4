import { flushWatchTimes, recordStatuses } from "../../task-lifecycle/progress.ts";
import { FLUSHED_AT_ONCE } from "../tunables.ts";
import type { WatcherContext } from "./context.ts";
import type { ServerLink } from "./server-link.ts";
import type { WatchedTask } from "./watched-task.ts";
import { clockMs, setCold } from "./watched-task.ts";

/**
 * Stores call statistics, and check times of tasks whose poll interval has changed. Readers compute the check
 * times of steady polls (lib/tasks/check-times.ts).
 */
export async function flush(
  ctx: WatcherContext,
  link: ServerLink,
  entries: Iterable<WatchedTask>,
): Promise<void> {
  const changed: WatchedTask[] = [];
  for (const entry of entries) if (entry.timesChanged) changed.push(entry);
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
  for (const entry of changed) entry.timesChanged = false;
  const zero = Date.now() - performance.now();
  const times = changed.map((entry) => ({
    taskId: entry.id,
    lastCheckedAt: new Date(zero + entry.checkedAt),
    nextCheckAt: new Date(zero + entry.nextCheckAt),
    unchangedPolls: entry.unchangedPolls,
  }));
  await ctx.transaction((tx) => flushWatchTimes(ctx.organizationId, tx, times));
}

/**
 * Stores status messages that polls left in memory, even if the server is failing by now. A newer message
 * that a step writes meanwhile wins.
 */
export async function flushMinorNews(ctx: WatcherContext, entries: Iterable<WatchedTask>): Promise<void> {
  const told: WatchedTask[] = [];
  for (const entry of entries) if (entry.cold.minorNews) told.push(entry);
  for (let first = 0; first < told.length; first += FLUSHED_AT_ONCE) {
    const some = told.slice(first, first + FLUSHED_AT_ONCE);
    const news = some.map(({ id, work, cold }) => {
      return { ...cold.minorNews!, taskId: id, replaces: work.statusMessage };
    });
    await ctx.transaction((tx) => recordStatuses(ctx.organizationId, tx, news));
    for (const [at, entry] of some.entries()) {
      entry.stale = true;
      entry.minorNewsAt = clockMs();
      const { statusMessage } = news[at]!;
      if (entry.cold.minorNews?.statusMessage === statusMessage) setCold(entry, { minorNews: null });
    }
  }
}
