import { end } from "./apply.ts";
import { resumeCall } from "./call.ts";
import type { TaskEntry, WatcherContext } from "./entry.ts";
import { rediscover } from "./rediscover.ts";
import { SLOW_POLL_MS } from "./tunables.ts";

/**
 * The connection that carried the call is gone, with this process' predecessor or by itself. The server may replay
 * what was missed, or have made a task after all; else the call is lost, and a person decides what to do.
 */
export async function recoverCall(ctx: WatcherContext, entry: TaskEntry, attempt: string): Promise<number> {
  const { callId, ownEventId } = entry;
  if (entry.work.era === "2025-11-25" && entry.live && callId !== null && ownEventId !== null) {
    // Once: where the server refuses, this comes back here without it.
    entry.callId = null;
    entry.call = resumeCall(ctx, entry, attempt, { callId, eventId: ownEventId });
    return SLOW_POLL_MS;
  }
  const mayHaveMadeTask = entry.work.toolHints?.taskSupport !== "forbidden";
  if (mayHaveMadeTask && (await rediscover(ctx, entry, attempt))) return 0;
  if (entry.work.cancelRequested) await end(ctx, entry, { state: "cancelled" });
  else await end(ctx, entry, { state: "lost", error: CONNECTION_LOST });
  return 0;
}

const CONNECTION_LOST = {
  code: "connection_lost",
  message: "The connection that carried this call ended before its result came. The tool may have run.",
};
