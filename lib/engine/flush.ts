import { flushWatchTimes } from "../tasks/progress.ts";
import type { TaskEntry, WatcherContext } from "./entry.ts";
import type { ServerLink } from "./server-link.ts";

/** Writes what polls left in memory, in one transaction: when tasks were looked at, and how the calls went. */
export async function flush(
  ctx: WatcherContext,
  link: ServerLink,
  entries: Iterable<TaskEntry>,
): Promise<void> {
  const counted = link.calls.take();
  const changed = [...entries].filter((entry) => entry.timesChanged);
  if (changed.length === 0 && !counted) return;
  for (const entry of changed) entry.timesChanged = false;
  const times = changed.map((entry) => ({
    taskId: entry.id,
    lastCheckedAt: entry.lastCheckedAt ?? new Date(),
    nextCheckAt: entry.nextCheckAt ?? new Date(),
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
