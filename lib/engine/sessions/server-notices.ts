import { MIN_POLL_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import type { WatchedTask } from "../watcher/watched-task.ts";

/** When the last poll caused by a notification was due; monotonic, in ms. */
const polledFor = new WeakMap<WatchedTask, number>();

/**
 * Polls a task after a notification, even if the last poll was a moment ago. Some servers notify on each
 * poll, so these polls are at least `MIN_POLL_MS` apart.
 */
export function pollSoon(ctx: WatcherContext, task: WatchedTask): void {
  const now = performance.now();
  const last = polledFor.get(task) ?? Number.NEGATIVE_INFINITY;
  const due = last > now ? last : Math.max(now, last + MIN_POLL_MS);
  polledFor.set(task, due);
  ctx.wake(task.id, due - now);
}
