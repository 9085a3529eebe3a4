/** The standalone stream of a session of 2025-11-25, on which a server says what belongs to no request. */
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { Stream, StreamListener } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { MAX_TIMER_MS } from "../../mcp/wire/deadline.ts";
import { LISTEN_GRACE_MS, STREAM_RETRY_MS } from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import type { LiveSession, WatchedTask } from "../watcher/watched-task.ts";
import { listenerOf } from "./listener.ts";

/**
 * Opens a stream in the background, because a server may send no headers before the first event. `opened`
 * resolves once the stream is open, refused or closed, and never rejects.
 */
export function openBeside(
  open: (signal: AbortSignal) => Promise<Stream | null>,
  onRefused: (error: unknown) => void,
): Stream & { opened: Promise<void> } {
  const dropped = new AbortController();
  let stream: Stream | null = null;
  const close = () => {
    dropped.abort();
    stream?.close();
  };
  const opened = open(dropped.signal).then(
    (open) => {
      stream = open;
      if (dropped.signal.aborted) close();
    },
    (error: unknown) => {
      if (!dropped.signal.aborted) onRefused(error);
    },
  );
  return { close, opened };
}

/**
 * Opens the standalone stream, because some servers ask questions nowhere else and drop them while it is
 * closed. Waits at most `LISTEN_GRACE_MS`. `isNew`: the session was opened just now.
 */
export async function openStandalone(
  ctx: WatcherContext,
  task: WatchedTask,
  session: LiveSession,
  isNew = false,
): Promise<void> {
  if (session.stream || !session.hasStream) return;
  const askedAt = performance.now();
  session.streamAgainAt = askedAt + STREAM_RETRY_MS;
  const gone = (hasStream: boolean) => {
    session.hasStream &&= hasStream;
    if (session.stream !== stream) return;
    session.stream = null;
    session.isListening = false;
  };
  const listener: StreamListener = {
    ...listenerOf(ctx, session, null, () => gone(true)),
    // Ids of other streams are not kept here: with one of those this request would go on with that stream instead.
    onEventId(eventId) {
      session.record.lastEventId = eventId;
      for (const task of session.tasks) task.idsChanged = true;
    },
  };
  const stream = openBeside(
    async (signal) => {
      const options = { ...callOptions(task, MAX_TIMER_MS), signal };
      const open = await ctx.peer("2025-11-25").listen(session.record, listener, options);
      // Null means that the server has no such stream (405), so the task does not try again.
      if (!open) gone(false);
      else if (session.stream === stream) session.isListening = true;
      if (performance.now() < askedAt + LISTEN_GRACE_MS) ctx.sessions.opensLate = false;
      if (session.record.id !== null) ctx.learn({ opensStream: open !== null });
      return open;
    },
    (error) => {
      // A refused stream stops nothing and is tried again later. Some servers answer 404 if they have no such
      // stream: a session that was opened a moment ago is not gone.
      gone(!(isNew && error instanceof PeerError && error.code === "session_gone"));
      ctx.log.debug({ err: error, taskId: task.id }, "a stream was refused");
    },
  );
  session.stream = stream;
  const grace = pause(ctx.sessions.opensLate ? 0 : LISTEN_GRACE_MS, null, { ref: false });
  // A busy process reads what came in time only after its timers.
  const late = grace.then(() => nextTurn(true));
  if (await Promise.race([stream.opened, late])) ctx.sessions.opensLate = true;
}

/** Opens a running task's standalone stream again, at most once per `STREAM_RETRY_MS`. */
export async function tryStandalone(ctx: WatcherContext, task: WatchedTask, now: number): Promise<void> {
  const { session } = task;
  if (session && now >= session.streamAgainAt) await openStandalone(ctx, task, session);
}
