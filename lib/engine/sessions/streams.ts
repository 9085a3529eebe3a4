/** Streams and sessions of 2025-11-25: opened, dropped and renewed here; what comes in on them is for the inbox. */
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
 * Puts a task into a session: a new one, or, where the server holds no more, one that others live in. Null: there is
 * none for it now.
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
    // A command's bound is the operator's, and the server knows nothing of it.
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

/** The server opens sessions and knows none of them: its trouble, not that of one task. */
export class SessionsForgotten extends PeerError {
  constructor() {
    super("session_gone", "yes", SESSIONS_FORGOTTEN);
    this.name = "SessionsForgotten";
  }
}
const SESSIONS_FORGOTTEN =
  "The server does not know the sessions that it opens. Behind a load balancer all requests of a session have to reach one instance.";

/**
 * The server says of a task's session that it does not know it. Moves to a new one where that is so. Returns the pause
 * until the next look, in ms. Throws SessionsForgotten where a new one would be as useless.
 */
export async function sessionGone(ctx: WatcherContext, entry: WatchedTask): Promise<number> {
  const live = entry.live;
  if (!live) throw new Error(`task ${entry.id} has no session that could be gone`);
  const isFirst = !live.renewal;
  const pause = isFirst ? ctx.sessions.saidGone(live) : 0;
  if (pause > 0 && !ctx.sessions.areUseless) return pause;
  if (pause > 0) throw new SessionsForgotten();
  await renewSession(ctx, entry);
  // Where tasks are bound to sessions the old one may be the better one after all.
  if (live.answered) setCold(entry, { formerSession: live.record });
  else if (isFirst) {
    ctx.sessions.gone(live);
    closeSession(ctx, live);
  }
  // Only an answer says that the server is well again.
  if (ctx.sessions.areUseless) throw new SessionsForgotten();
  return 0;
}

/** The same of a call that makes a task, which is made again later. True: nothing was ever answered in that session. */
export function leaveIfGone(ctx: WatcherContext, entry: WatchedTask): boolean {
  const { live } = entry;
  if (!live || ctx.sessions.saidGone(live) > 0) return false;
  const left = dropStreams(ctx, entry);
  ctx.sessions.gone(live);
  if (left && !left.answered) closeSession(ctx, left);
  return !live.answered;
}

/** The new session does not know the task: whether the old one does, by now. Then the task is back in it. */
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

/** Gives a session back, as far as the server takes it. */
function closeSession(ctx: WatcherContext, { record: kept }: LiveSession): void {
  ctx
    .peer("2025-11-25")
    .close(kept, { deadlineMs: CALL_DEADLINE_MS })
    .catch((error: unknown) => ctx.log.debug({ err: error }, "a session was not closed"));
}

/** The server forgot the session: a new one, stored before it is used. Old JSON-RPC ids are never sent on it. */
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
 * A stream that opens beside everything else, since a server may send no headers before the first event. `opened` resolves
 * once it is open, refused or closed, and never rejects.
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
 * The standalone stream: some servers put their questions nowhere else, and drop them when it is not open. Waits for it a
 * moment and no longer. `isNew`: the session was opened just now.
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
      // null: the server has no such stream (405), so there is nothing to try again
      if (!open) gone(false);
      return open;
    },
    (error) => {
      // What the server says against the stream is no reason to stop anything; it is tried again later. Some answer 404
      // where they have none: a session that was opened a moment ago is not gone.
      gone(!(isNew && error instanceof PeerError && error.code === "session_gone"));
      ctx.log.debug({ err: error, taskId: entry.id }, "a stream was refused");
    },
  );
  live.stream = stream;
  const late = pause(ctx.sessions.opensLate ? 0 : LISTEN_GRACE_MS, true, { ref: false });
  if (await Promise.race([stream.opened, late])) ctx.sessions.opensLate = true;
}

/** The same for a running task, now and then. */
export async function tryStandalone(ctx: WatcherContext, entry: WatchedTask, now: number): Promise<void> {
  const { live } = entry;
  if (live && now >= live.streamAgainAt) await openStandalone(ctx, entry, live);
}

/** Opens and drops streams to fit what the task waits for. Called at every step of a running task. */
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
  // An answer was accepted, and nothing followed: it is asked for what comes next, or for the same again.
  const isSilent =
    work.requests.length > 0 && work.requests.every(({ delivery }) => delivery?.state === "accepted");
  if (!(waitsForQuestion || isSilent) || now > entry.cold.resultStreamUntil) closeResultStream(ctx, entry);
  if (waitsForQuestion) await requestPendingQuestion(ctx, entry, now);
}

/** A question may come as long as the task runs; after a capture, for a while, only its retraction. */
function listenUntil(ctx: WatcherContext, entry: WatchedTask, now: number): number {
  const hasOpen = entry.work.requests.some((request) => request.state === "open");
  const quietMs = entry.work.quietMs + (now - entry.loadedAt);
  // What such a server asked while nobody listened, it asks again: no stream for a task that waits or sleeps.
  if (ctx.traits.reissues && (hasOpen || quietMs > STREAM_QUIET_MS)) return 0;
  return hasOpen ? Math.min(entry.cold.listenUntil, now + RETRACTION_WAIT_MS) : Number.POSITIVE_INFINITY;
}

/** The same where a question is known to be pending: that it does not come says what the server is like. */
export function requestPendingQuestion(ctx: WatcherContext, entry: WatchedTask, now: number): Promise<void> {
  return requestFrom(ctx, entry, now, true);
}

/**
 * Asks the server for its pending question, not in a hot loop: first for what it said on a stream of the task's that
 * broke, where it can replay that; then by `tasks/result`, held for a while.
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
    // Whoever has the turn wakes the next one; for calls nobody does.
    if (live.asking === null) ctx.wake(entry.id, CALLER_WAIT_MS);
    return;
  }
  // A question of which nobody knows whose it is may be the one.
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
    // The next time by tasks/result, soon.
    setCold(entry, { resultStreamAgainAt: now + QUESTION_WAIT_MS });
  }
  ctx.wake(entry.id, QUESTION_WAIT_MS);
}

function openResultStream(ctx: WatcherContext, entry: WatchedTask, live: LiveSession): void {
  holdOwn(ctx, entry, live, (listener, signal) =>
    ctx.peer("2025-11-25").openResult(
      taskRef(ctx, entry),
      // The end is read by the next poll; the result that came with it is fetched again then.
      { ...listener, onResult: () => ctx.wake(entry.id, 0) },
      { ...callOptions(entry, MAX_TIMER_MS), signal },
    ),
  );
}

/** Goes on with a stream of the task's own after its last event; servers with an event store put it all again. */
function replay(ctx: WatcherContext, entry: WatchedTask, live: LiveSession, from: string): void {
  const session = { ...live.record, lastEventId: from };
  holdOwn(ctx, entry, live, (listener, signal) =>
    ctx.peer("2025-11-25").listen(
      session,
      // The next time by tasks/result: what is replayed has ids too.
      { ...listener, onEventId: () => undefined },
      { ...callOptions(entry, MAX_TIMER_MS), signal },
    ),
  );
}

/** Opens a stream on which the task's own question may come. Nothing waits for it, and what refuses it is met by polls. */
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
      // Some servers answer at once instead of blocking: then their questions come on the standalone stream.
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

/** A question came: the server is not silent. */
export function resetSilence(entry: WatchedTask): void {
  setCold(entry, { unasked: 0, resultStreamUntil: 0 });
}

function closeResultStream(ctx: WatcherContext, entry: WatchedTask): void {
  const { resultStream } = entry.cold;
  setCold(entry, { resultStream: null });
  resultStream?.close();
  if (entry.live) wakeNext(ctx, entry.live, entry);
}

/** Drops the task's connections, and gives its session back to the server where it was the last task there. */
export async function leaveSession(ctx: WatcherContext, entry: WatchedTask): Promise<void> {
  const left = dropStreams(ctx, entry);
  // A server that is paused forgets it by itself in time.
  if (!left || left.mayHoldMore || ctx.paused) return;
  await ctx
    .peer("2025-11-25")
    .close(left.record, { deadlineMs: CALL_DEADLINE_MS })
    .catch((error: unknown) => ctx.log.debug({ err: error, taskId: entry.id }, "a session was not closed"));
}

/** Drops the task's connections, and its session's where it was the last task there. Nothing is sent. */
export function dropStreams(ctx: WatcherContext, entry: WatchedTask): LiveSession | null {
  closeResultStream(ctx, entry);
  entry.calls.call?.close();
  return ctx.sessions.detach(entry);
}

/** The same when a watcher ends. `keepsCall`: its call stays open, and the session is remembered with what it brings. */
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
