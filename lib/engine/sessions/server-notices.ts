import { MIN_POLL_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import type { WatchedTask } from "../watcher/watched-task.ts";

/** When the last look at a task was due that a notice was the reason for; monotonic. */
const lookedFor = new WeakMap<WatchedTask, number>();

/**
 * The server says that a task changed: it is looked at, at once even where it was polled a moment ago. Some servers
 * give notice at each poll, so that such looks have the pause between them that all polls have.
 */
export function pollSoon(ctx: WatcherContext, task: WatchedTask): void {
  const now = performance.now();
  const last = lookedFor.get(task) ?? Number.NEGATIVE_INFINITY;
  const due = last > now ? last : Math.max(now, last + MIN_POLL_MS);
  lookedFor.set(task, due);
  ctx.wake(task.id, due - now);
}
