/**
 * Opens, drops and renews the streams and sessions of 2025-11-25. stream-inbox.ts processes their messages.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { PeerError, type Stream, type StreamListener } from "../../mcp/peer.ts";
import { storeSession } from "../../task-lifecycle/progress.ts";
import { sealSession, taskRef } from "../task/sealed.ts";
import {
  CALL_DEADLINE_MS,
  CALLER_WAIT_MS,
  LISTEN_GRACE_MS,
  MAX_TIMER_MS,
  OPEN_DEADLINE_MS,
  QUESTION_RETRY_CAP_MS,
  QUESTION_RETRY_MS,
  QUESTION_WAIT_MS,
  RETRACTION_WAIT_MS,
  SAID_GONE,
  SAID_GONE_MS,
  SESSIONS_FULL_MS,
  STREAM_QUIET_MS,
  STREAM_RETRY_MS,
} from "../tunables.ts";
import { callOptions, fencedTransaction, type WatcherContext } from "../watcher/context.ts";
import { learnFromSilence } from "../watcher/learning.ts";
import {
  type LiveSession,
  type SessionRecord,
  setCalls,
  setCold,
  type WatchedTask,
} from "../watcher/watched-task.ts";
import { listenerOf } from "./listener.ts";
import { closeStandalone, endTurn, takeTurn } from "./sessions.ts";

/**
 * Puts a task into a new session, or into a shared one if the server allows no more. Returns null if no
 * session is free.
 */
export async function joinSession(ctx: WatcherContext, entry: WatchedTask): Promise<LiveSession | null> {
  if (entry.live) return entry.live;
  const known = ctx.traits.sessionLimit;
  if (performance.now() < ctx.sessions.fullUntil) return share(ctx, entry);
  try {
    const live = ctx.sessions.attach(entry, await open(ctx, entry));
    live.answered = false;
    if (known !== undefined && ctx.sessions.size > known) ctx.learn({ sessionLimit: undefined });
    return live;
  } catch (error) {
    if (!(error instanceof PeerError && error.code === "sessions_full")) throw error;
    if (ctx.sessions.size === 0) throw error;
    ctx.sessions.fullUntil = performance.now() + SESSIONS_FULL_MS;
    // A command's limit is the operator's, so it is no trait of the server.
    const isServers = error.httpStatus !== null || error.rpcError !== null;
    if (isServers) ctx.learn({ sessionLimit: ctx.sessions.size });
    return share(ctx, entry);
  }
}

async function open(ctx: WatcherContext, entry: WatchedTask): Promise<SessionRecord> {
  if (!ctx.sessions.mayOpen) throw new SessionsForgotten();
  try {
    const opened = await ctx.peer("2025-11-25").open(callOptions(entry, OPEN_DEADLINE_MS));
    if (!opened) throw new Error("a peer of 2025-11-25 opened no session");
    return { ...opened, own: randomUUID() };
  } catch (error) {
    const isGone = error instanceof PeerError && error.code === "session_gone";
    throw isGone && ctx.sessions.openedInVain() ? new SessionsForgotten() : error;
  }
}

function share(ctx: WatcherContext, entry: WatchedTask): LiveSession | null {
  const live = ctx.sessions.leastUsed();
  return live && ctx.sessions.attach(entry, live.record);
}

/** The server denies every session that it opens: a failure of the server, not of one task. */
export class SessionsForgotten extends PeerError {
  constructor() {
    super("session_gone", "yes", SESSIONS_FORGOTTEN);
    this.name = "SessionsForgotten";
  }
}
const SESSIONS_FORGOTTEN =
  "The server does not know the sessions that it opens. Behind a load balancer all requests of a session have to reach one instance.";

/**
 * Handles a denied session; moves the task to a new one once the session counts as gone. Returns the pause
 * until the next look, in ms. Throws SessionsForgotten if a new session would be useless too.
 */
export async function sessionGone(ctx: WatcherContext, entry: WatchedTask): Promise<number> {
  const live = entry.live;
  if (!live) throw new Error(`task ${entry.id} has no session that could be gone`);
  const isFirst = !live.renewal;
  const pause = isFirst ? ctx.sessions.saidGone(live) : 0;
  if (pause > 0 && !ctx.sessions.areUseless) return pause;
  if (pause > 0) throw new SessionsForgotten();
  await renewSession(ctx, entry);
  // The old session may be the right one after all, if tasks are bound to sessions.
  if (live.answered) setCold(entry, { formerSession: live.record });
  else if (isFirst) {
    ctx.sessions.gone(live);
    closeSession(ctx, live);
  }
  // Only an answer proves that the server works again.
  if (ctx.sessions.areUseless) throw new SessionsForgotten();
  return 0;
}

/**
 * Leaves a session that counts as gone after a failed call, whose retry opens a new one. Returns true if the
 * session never answered.
 */
export function leaveIfGone(ctx: WatcherContext, entry: WatchedTask): boolean {
  const { live } = entry;
  if (!live || ctx.sessions.saidGone(live) > 0) return false;
  const left = dropStreams(ctx, entry);
  ctx.sessions.gone(live);
  if (left && !left.answered) closeSession(ctx, left);
  return !live.answered;
}

/**
 * Returns the task to its former session if that knows the task after all, because the new one does not.
 * Returns false if not.
 */
export async function returnToFormer(ctx: WatcherContext, entry: WatchedTask): Promise<boolean> {
  const { formerSession } = entry.cold;
  setCold(entry, { formerSession: null });
  if (!formerSession) return false;
  const { taskId } = taskRef(ctx, entry);
  const peer = ctx.peer("2025-11-25");
  for (let tries = 1; ; tries++) {
    try {
      await peer.get({ taskId, session: formerSession }, callOptions(entry, OPEN_DEADLINE_MS));
      break;
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      if (error.code !== "session_gone" || tries >= SAID_GONE) return false;
      await pause(SAID_GONE_MS * 2 ** (tries - 1));
    }
  }
  const left = ctx.sessions.detach(entry);
  if (left) closeSession(ctx, left);
  const live = ctx.sessions.attach(entry, formerSession);
  live.saidGone = Math.max(1, live.saidGone);
  ctx.sessions.answered(live);
  await fencedTransaction(ctx, entry, (tx) =>
    storeSession(ctx.organizationId, tx, entry.id, sealSession(ctx, entry)!),
  );
  return true;
}

/** Closes a session on the server. Only logs failures. */
function closeSession(ctx: WatcherContext, { record: kept }: LiveSession): void {
  ctx
    .peer("2025-11-25")
    .close(kept, { deadlineMs: CALL_DEADLINE_MS })
    .catch((error: unknown) => ctx.log.debug({ err: error }, "a session was not closed"));
}

/**
 * Moves a task to a new session after the server forgot the old one. Stored before use; old JSON-RPC ids are
 * never sent there.
 */
export async function renewSession(ctx: WatcherContext, entry: WatchedTask): Promise<void> {
  const old = entry.live;
  closeResultStream(ctx, entry);
  if (!old) throw new Error(`task ${entry.id} has no session to renew`);
  closeStandalone(old);
  old.renewal ??= openAnew(ctx, entry).catch((error: unknown) => {
    old.renewal = null;
    throw error;
  });
  const fresh = await old.renewal;
  ctx.sessions.detach(entry);
  ctx.sessions.attach(entry, fresh.record);
  setCalls(entry, { ownEventId: null });
  await fencedTransaction(ctx, entry, (tx) =>
    storeSession(ctx.organizationId, tx, entry.id, sealSession(ctx, entry)!),
  );
  setCold(entry, { listenUntil: Number.POSITIVE_INFINITY, resultStreamAgainAt: 0 });
}

async function openAnew(ctx: WatcherContext, entry: WatchedTask): Promise<LiveSession> {
  const opened = await open(ctx, entry);
  const old = entry.live;
  const fresh = ctx.sessions.attach(entry, opened);
  fresh.answered = false;
  entry.live = old;
  return fresh;
}

/**
 * Opens a stream in the background, because a server may send no headers before the first event. `opened`
 * resolves once the stream is open, refused or closed, and never rejects.
 */
function openBeside(
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
  entry: WatchedTask,
  live: LiveSession,
  isNew = false,
): Promise<void> {
  if (live.stream || !live.hasStream) return;
  live.streamAgainAt = performance.now() + STREAM_RETRY_MS;
  const gone = (hasStream: boolean) => {
    live.hasStream &&= hasStream;
    if (live.stream === stream) live.stream = null;
  };
  const listener: StreamListener = {
    ...listenerOf(ctx, live, null, () => gone(true)),
    // Ids of other streams are not kept here: with one of those this request would go on with that stream instead.
    onEventId(eventId) {
      live.record.lastEventId = eventId;
      for (const task of live.tasks) task.idsChanged = true;
    },
  };
  const stream = openBeside(
    async (signal) => {
      const options = { ...callOptions(entry, MAX_TIMER_MS), signal };
      const open = await ctx.peer("2025-11-25").listen(live.record, listener, options);
      // Null means that the server has no such stream (405), so the task does not try again.
      if (!open) gone(false);
      return open;
    },
    (error) => {
      // A refused stream stops nothing and is tried again later. Some servers answer 404 if they have no such
      // stream: a session that was opened a moment ago is not gone.
      gone(!(isNew && error instanceof PeerError && error.code === "session_gone"));
      ctx.log.debug({ err: error, taskId: entry.id }, "a stream was refused");
    },
  );
  live.stream = stream;
  const late = pause(ctx.sessions.opensLate ? 0 : LISTEN_GRACE_MS, true, { ref: false });
  if (await Promise.race([stream.opened, late])) ctx.sessions.opensLate = true;
}

/** Opens a running task's standalone stream again, at most once per `STREAM_RETRY_MS`. */
export async function tryStandalone(ctx: WatcherContext, entry: WatchedTask, now: number): Promise<void> {
  const { live } = entry;
  if (live && now >= live.streamAgainAt) await openStandalone(ctx, entry, live);
}

/** Opens and closes streams to fit what the task waits for. Called at every step of a running task. */
export async function tendStreams(ctx: WatcherContext, entry: WatchedTask, now: number): Promise<void> {
  const { live, work } = entry;
  if (work.era === "2026-07-28" && entry.handle !== null) ctx.follow(entry.handle);
  if (work.era !== "2025-11-25" || !live) return;
  const waitsForQuestion =
    work.state === "input_required" && work.requests.length === 0 && !work.cancelRequested;
  setCold(entry, { listenUntil: listenUntil(ctx, entry, now) });
  const wanted = [...live.tasks].some((task) => now < task.cold.listenUntil);
  if (wanted) await tryStandalone(ctx, entry, now);
  else closeStandalone(live);
  // Nothing followed the accepted answers: the stream may bring the next question, or the same again.
  const isSilent =
    work.requests.length > 0 && work.requests.every(({ delivery }) => delivery?.state === "accepted");
  if (!(waitsForQuestion || isSilent) || now > entry.cold.resultStreamUntil) closeResultStream(ctx, entry);
  if (waitsForQuestion) await requestPendingQuestion(ctx, entry, now);
}

/** Returns until when to listen: while the task runs, but after a question only for its retraction. */
function listenUntil(ctx: WatcherContext, entry: WatchedTask, now: number): number {
  const hasOpen = entry.work.requests.some((request) => request.state === "open");
  const quietMs = entry.work.quietMs + (now - entry.loadedAt);
  // A server that reissues questions needs no stream for a task that waits or sleeps.
  if (ctx.traits.reissues && (hasOpen || quietMs > STREAM_QUIET_MS)) return 0;
  return hasOpen ? Math.min(entry.cold.listenUntil, now + RETRACTION_WAIT_MS) : Number.POSITIVE_INFINITY;
}

/** Requests a question known to be pending; learns from the server's silence if none comes. */
export function requestPendingQuestion(ctx: WatcherContext, entry: WatchedTask, now: number): Promise<void> {
  return requestFrom(ctx, entry, now, true);
}

/**
 * Requests the pending question, at limited intervals. First replays a broken stream of the task, if the
 * server can; later opens `tasks/result` for a while.
 */
export function requestQuestion(ctx: WatcherContext, entry: WatchedTask, now: number): Promise<void> {
  return requestFrom(ctx, entry, now, false);
}

async function requestFrom(
  ctx: WatcherContext,
  entry: WatchedTask,
  now: number,
  isPending: boolean,
): Promise<void> {
  const { live } = entry;
  if (now > entry.cold.resultStreamUntil) closeResultStream(ctx, entry);
  if (!live || entry.cold.resultStream || now < entry.cold.resultStreamAgainAt) return;
  if (!takeTurn(live, entry, ctx.traits)) {
    // The task that has the turn wakes the next one, but a call wakes none.
    if (live.asking === null) ctx.wake(entry.id, CALLER_WAIT_MS);
    return;
  }
  // An unattributed question may be the one that the server was asked for.
  if (isPending && entry.cold.resultStreamUntil > 0 && !ctx.hasUnattributed(live)) {
    setCold(entry, { unasked: entry.cold.unasked + 1 });
    learnFromSilence(ctx, entry);
  }
  const againIn = Math.min(
    QUESTION_RETRY_CAP_MS,
    QUESTION_RETRY_MS * 1.5 ** Math.min(entry.cold.unasked, 20),
  );
  setCold(entry, { resultStreamAgainAt: now + againIn, resultStreamUntil: now + QUESTION_WAIT_MS });
  const replayFrom = entry.calls.ownEventId;
  if (replayFrom === null) openResultStream(ctx, entry, live);
  else {
    setCalls(entry, { ownEventId: null });
    replay(ctx, entry, live, replayFrom);
    // The next request, soon, uses `tasks/result`.
    setCold(entry, { resultStreamAgainAt: now + QUESTION_WAIT_MS });
  }
  ctx.wake(entry.id, QUESTION_WAIT_MS);
}

function openResultStream(ctx: WatcherContext, entry: WatchedTask, live: LiveSession): void {
  holdOwn(ctx, entry, live, (listener, signal) =>
    ctx.peer("2025-11-25").openResult(
      taskRef(ctx, entry),
      // The wake-up polls the end; the result that came with the stream is fetched again then.
      { ...listener, onResult: () => ctx.wake(entry.id, 0) },
      { ...callOptions(entry, MAX_TIMER_MS), signal },
    ),
  );
}

/** Resumes a stream of the task after its last event; servers with an event store replay what was missed. */
function replay(ctx: WatcherContext, entry: WatchedTask, live: LiveSession, from: string): void {
  const session = { ...live.record, lastEventId: from };
  holdOwn(ctx, entry, live, (listener, signal) =>
    ctx.peer("2025-11-25").listen(
      session,
      // Replayed events have ids too, but the next request uses `tasks/result`.
      { ...listener, onEventId: () => undefined },
      { ...callOptions(entry, MAX_TIMER_MS), signal },
    ),
  );
}

/** Opens a stream that may bring the task's question. Not awaited; polls handle refusals. */
function holdOwn(
  ctx: WatcherContext,
  entry: WatchedTask,
  live: LiveSession,
  open: (listener: StreamListener, signal: AbortSignal) => Promise<Stream | null>,
): void {
  const over = () => {
    if (entry.cold.resultStream !== stream) return;
    setCold(entry, { resultStream: null });
    wakeNext(ctx, live, entry);
  };
  const stream = openBeside(
    async (signal) => {
      const opened = await open(listenerOf(ctx, live, entry, over), signal);
      if (!opened) over();
      return opened;
    },
    (error) => {
      over();
      // Some servers answer at once instead of blocking; their questions come on the standalone stream.
      const isOdd = !(error instanceof PeerError);
      ctx.log[isOdd ? "error" : "debug"]({ err: error, taskId: entry.id }, "a stream was refused");
    },
  );
  setCold(entry, { resultStream: stream });
}

function wakeNext(ctx: WatcherContext, live: LiveSession, entry: WatchedTask): void {
  const next = endTurn(live, entry);
  if (next) ctx.wake(next.id, 0);
}

/** Resets the count of requests without a question, because one came. */
export function resetSilence(entry: WatchedTask): void {
  setCold(entry, { unasked: 0, resultStreamUntil: 0 });
}

function closeResultStream(ctx: WatcherContext, entry: WatchedTask): void {
  const { resultStream } = entry.cold;
  setCold(entry, { resultStream: null });
  resultStream?.close();
  if (entry.live) wakeNext(ctx, entry.live, entry);
}

/** Drops the task's streams and call, and closes its session on the server if no other task uses that. */
export async function leaveSession(ctx: WatcherContext, entry: WatchedTask): Promise<void> {
  const left = dropStreams(ctx, entry);
  // A paused server drops the session by itself in time.
  if (!left || left.mayHoldMore || ctx.paused) return;
  await ctx
    .peer("2025-11-25")
    .close(left.record, { deadlineMs: CALL_DEADLINE_MS })
    .catch((error: unknown) => ctx.log.debug({ err: error, taskId: entry.id }, "a session was not closed"));
}

/**
 * Drops the task's streams and call; sends nothing. Returns the session if the task was its last, else null.
 */
export function dropStreams(ctx: WatcherContext, entry: WatchedTask): LiveSession | null {
  closeResultStream(ctx, entry);
  entry.calls.call?.close();
  return ctx.sessions.detach(entry);
}

/**
 * Drops the task's streams when its watcher ends. With `keepsCall` the call stays open, and the task keeps
 * its session, to store both with the reply.
 */
export function leaveStreams(ctx: WatcherContext, entry: WatchedTask, keepsCall: boolean): void {
  if (!keepsCall) {
    dropStreams(ctx, entry);
    return;
  }
  closeResultStream(ctx, entry);
  const { live } = entry;
  ctx.sessions.detach(entry);
  entry.live = live;
}
