/** Streams and sessions of 2025-11-25: opened, dropped and renewed here; what comes in on them is stored by steps. */
import { randomUUID } from "node:crypto";
import { PeerError, type Session, type StreamListener } from "../mcp/peer.ts";
import { storeSession } from "../tasks/progress.ts";
import {
  callOptions,
  change,
  type KeptSession,
  sealSession,
  type TaskEntry,
  taskRef,
  type WatcherContext,
} from "./entry.ts";
import {
  MIN_POLL_MS,
  OPEN_DEADLINE_MS,
  QUESTION_RETRY_MS,
  QUESTION_WAIT_MS,
  RETRACTION_WAIT_MS,
} from "./tunables.ts";

/** A session of its own for each task: then every question on it is the task's, and no JSON-RPC ids collide. */
export async function openSession(ctx: WatcherContext, entry: TaskEntry): Promise<KeptSession> {
  const opened = await ctx.peer("2025-11-25").open(callOptions(entry, OPEN_DEADLINE_MS));
  if (!opened) throw new Error("a peer of 2025-11-25 opened no session");
  return { ...opened, own: randomUUID() };
}

/** The server forgot the session: a new one, stored before it is used. Old JSON-RPC ids are never sent on it. */
export async function renewSession(ctx: WatcherContext, entry: TaskEntry): Promise<void> {
  dropStreams(entry);
  const session = await openSession(ctx, entry);
  await change(ctx, entry, (tx) =>
    storeSession(ctx.organizationId, tx, entry.id, sealSession(ctx, entry.id, session)!),
  );
  entry.session = session;
  entry.getStreamUntil = Number.POSITIVE_INFINITY;
  entry.getStreamAgainAt = 0;
  entry.resultStreamAgainAt = 0;
}

/** The standalone stream: some servers put their questions nowhere else, and drop them when it is not open. */
export async function openGetStream(
  ctx: WatcherContext,
  entry: TaskEntry,
  session: KeptSession,
): Promise<void> {
  if (entry.getStream) return;
  const listener: StreamListener = {
    ...listenerOf(ctx, entry, session, () => {
      entry.getStream = null;
    }),
    // Ids of other streams are not kept: with one of those this request would go on with that stream instead.
    onEventId(eventId) {
      (session as Session).lastEventId = eventId;
    },
  };
  const peer = ctx.peer("2025-11-25");
  const stream = await peer.listen(session, listener, callOptions(entry, OPEN_DEADLINE_MS));
  // null: the server has no such stream (405), so there is nothing to try again
  entry.getStream = stream;
  if (!stream) entry.getStreamUntil = 0;
}

/**
 * The same for a running task, whose session has just answered a poll: what the server says against the stream itself
 * is no reason to stop, and it is tried again later.
 */
export async function tryGetStream(ctx: WatcherContext, entry: TaskEntry, now: number): Promise<void> {
  if (!entry.session || entry.getStream || now < entry.getStreamAgainAt) return;
  entry.getStreamAgainAt = now + QUESTION_RETRY_MS;
  try {
    await openGetStream(ctx, entry, entry.session);
  } catch (error) {
    const aboutStream =
      error instanceof PeerError &&
      error.reached === "yes" &&
      !["unauthorized", "rate_limited"].includes(error.code);
    if (!aboutStream) throw error;
    ctx.log.debug({ err: error, taskId: entry.id }, "the standalone stream was refused");
  }
}

/** Opens and drops streams to fit what the task waits for. Called at every step of a running task. */
export async function tendStreams(ctx: WatcherContext, entry: TaskEntry, now: number): Promise<void> {
  const session = entry.session;
  if (entry.work.era !== "2025-11-25" || !session) return;
  const waitsForQuestion =
    entry.work.state === "input_required" && entry.work.requests.length === 0 && !entry.work.cancelRequested;
  if (entry.work.requests.some((request) => request.state === "open")) {
    entry.getStreamUntil = Math.min(entry.getStreamUntil, now + RETRACTION_WAIT_MS);
  } else entry.getStreamUntil = entry.getStreamUntil === 0 ? 0 : Number.POSITIVE_INFINITY;

  if (entry.getStream && now > entry.getStreamUntil) closeStream(entry, "getStream");
  if (now < entry.getStreamUntil) await tryGetStream(ctx, entry, now);
  if (entry.resultStream && (!waitsForQuestion || now > entry.resultStreamUntil))
    closeStream(entry, "resultStream");
  if (waitsForQuestion) await openResultStream(ctx, entry, now);
}

/** Asks the server for its pending question: `tasks/result`, held for a while, not in a hot loop. */
export async function openResultStream(ctx: WatcherContext, entry: TaskEntry, now: number): Promise<void> {
  const session = entry.session;
  if (!session || entry.resultStream || now < entry.resultStreamAgainAt) return;
  entry.resultStreamAgainAt = now + QUESTION_RETRY_MS;
  entry.resultStreamUntil = now + QUESTION_WAIT_MS;
  const listener = listenerOf(ctx, entry, session, () => {
    entry.resultStream = null;
  });
  try {
    entry.resultStream = await ctx.peer("2025-11-25").openResult(
      taskRef(ctx, entry),
      // The end is read by the next poll; the result that came with it is fetched again then.
      { ...listener, onResult: () => ctx.wake(entry.id, 0) },
      callOptions(entry, OPEN_DEADLINE_MS),
    );
  } catch (error) {
    // Some servers answer at once instead of blocking: then their questions come on the standalone stream.
    if (!(error instanceof PeerError && error.code === "not_ready")) throw error;
  }
  ctx.wake(entry.id, QUESTION_WAIT_MS);
}

export function dropStreams(entry: TaskEntry): void {
  closeStream(entry, "getStream");
  closeStream(entry, "resultStream");
}

function closeStream(entry: TaskEntry, which: "getStream" | "resultStream"): void {
  const stream = entry[which];
  entry[which] = null;
  stream?.close();
}

export function listenerOf(
  ctx: WatcherContext,
  entry: TaskEntry,
  session: KeptSession,
  onClosed: () => void,
): StreamListener {
  return {
    onQuestion(question) {
      entry.news.push({ kind: "question", question, session });
      ctx.wake(entry.id, 0);
    },
    onRetracted(rpcId) {
      entry.news.push({ kind: "retracted", rpcId, session });
      ctx.wake(entry.id, 0);
    },
    // Some servers notify at each poll.
    onStatus: () => ctx.wake(entry.id, Math.max(0, entry.polledAt + MIN_POLL_MS - performance.now())),
    onProgress: () => undefined, // a bar is no state: shown from the status message for now
    onEventId: () => undefined,
    onClosed(reason) {
      onClosed();
      if (reason !== "closed_here") ctx.wake(entry.id, 1_000);
    },
  };
}
