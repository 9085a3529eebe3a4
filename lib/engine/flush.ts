import { flushWatchTimes } from "../tasks/progress.ts";
import type { TaskEntry, WatcherContext } from "./entry.ts";
import type { ServerLink } from "./server-link.ts";

/**
 * Writes what polls left in memory, in one transaction: how the calls went, and when tasks were looked at whose pace
 * has changed. What polls at an even pace come to is worked out by who reads it (lib/tasks/check-times.ts).
 */
export async function flush(
  ctx: WatcherContext,
  link: ServerLink,
  entries: Iterable<TaskEntry>,
): Promise<void> {
  const counted = link.calls.take();
  const changed: TaskEntry[] = [];
  for (const entry of entries) if (entry.timesChanged) changed.push(entry);
  if (changed.length === 0 && !counted) return;
  for (const entry of changed) entry.timesChanged = false;
  const times = changed.map((entry) => ({
    taskId: entry.id,
    lastCheckedAt: new Date(entry.checkedAt),
    nextCheckAt: new Date(entry.nextCheckAt),
    unchangedPolls: entry.unchangedPolls,
  }));
  await ctx
    .transaction(async (tx) => {
      await flushWatchTimes(ctx.organizationId, tx, times);
      if (counted) await link.flushCalls(tx, counted);
    })
    .catch((error: unknown) => {
      if (counted) link.calls.giveBack(counted);
      throw error;
    });
}
