/**
 * Intermediate results of a task, which its server offers by a draft of MCP: the newest is shown as the task's progress. They
 * decide nothing, so they are read beside the polls and kept in memory alone: the next engine goes on where the server says.
 */
import { PeerError, type RemoteTask } from "../../mcp/peer.ts";
import { isRunning } from "../../tasks/status.ts";
import { CALL_DEADLINE_MS, EVENT_BATCHES, EVENTS_AGAIN_MS } from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import { setCold, type WatchedTask } from "../watcher/watched-task.ts";

/** Remembers the source that a server names. The first one counts, since it may be named with each poll. */
export function noteEventSource(ctx: WatcherContext, task: WatchedTask, { eventSource }: RemoteTask): void {
  if (!ctx.usesDrafts || !eventSource || task.cold.events) return;
  setCold(task, { events: { source: eventSource, seen: 0, againAt: 0 } });
}

/** Asks for what has happened since, if the task has a source and its server may be asked. Never throws a PeerError. */
export async function readEvents(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  for (let batch = 0; batch < EVENT_BATCHES; batch++) {
    const { events } = task.cold;
    if (!events || !isRunning(task.work.state) || performance.now() < events.againAt) return;
    const { source, seen } = events;
    const options = { ...callOptions(task, CALL_DEADLINE_MS), signal: ctx.leaving };
    try {
      const came = await ctx.peer("2026-07-28").pollEvents(source, options);
      const count = seen + (came?.count ?? 0);
      if (came?.newest) setCold(task, { progress: { progress: count, total: null, message: came.newest } });
      const againAt = came?.hasMore ? 0 : performance.now() + (came?.nextPollMs ?? 0);
      setCold(task, {
        events: { source: { ...source, cursor: came?.cursor ?? null }, seen: count, againAt },
      });
      if (!came?.hasMore) return;
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      ctx.log.debug({ err: error, taskId: task.id }, "a task's events were not read");
      const isFinal = error.reached === "yes" && error.code !== "rate_limited";
      const againAt = isFinal ? Number.POSITIVE_INFINITY : performance.now() + EVENTS_AGAIN_MS;
      setCold(task, { events: { ...events, againAt } });
      return;
    }
  }
}
