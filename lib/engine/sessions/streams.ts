/**
 * Opens, drops and renews the streams and sessions of 2025-11-25. stream-inbox.ts processes their messages.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { keptTask } from "../../lifecycle/engine-task-reads.ts";
import { storeSession } from "../../lifecycle/running-task-writes.ts";
import { openSession } from "../../mcp/connect.ts";
import { PeerError, type Stream, type StreamListener } from "../../mcp/peer.ts";
import { mayPutTasks } from "../../servers/traits.ts";
import { sealSession, taskRef } from "../task/task-secrets.ts";
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
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import { fencedTransaction } from "../watcher/fenced-writes.ts";
import { learnFromSilence } from "../watcher/learning.ts";
import {
  clockMs,
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
export async function joinSession(ctx: WatcherContext, task: WatchedTask): Promise<LiveSession | null> {
  if (task.session) return task.session;
  const known = ctx.traits.sessionLimit;
  if (performance.now() < ctx.sessions.fullUntil) return share(ctx, task);
  try {
    const session = ctx.sessions.attach(task, await open(ctx, task));
    session.answered = false;
    if (known !== undefined && ctx.sessions.size > known) ctx.learn({ sessionLimit: undefined });
    return session;
  } catch (error) {
    if (!(error instanceof PeerError && error.code === "sessions_full")) throw error;
    if (ctx.sessions.size === 0) throw error;
    ctx.sessions.fullUntil = performance.now() + SESSIONS_FULL_MS;
    // A command's limit is the operator's, so it is no trait of the server.
    const isServers = error.httpStatus !== null || error.rpcError !== null;
    if (isServers) ctx.learn({ sessionLimit: ctx.sessions.size });
    return share(ctx, task);
  }
}

async function open(ctx: WatcherContext, task: WatchedTask): Promise<SessionRecord> {
  if (!ctx.sessions.mayOpen) throw new SessionsForgotten();
  try {
    const options = callOptions(task, OPEN_DEADLINE_MS);
    const { session, refusesTasks } = await openSession(
      ctx.peer("2025-11-25"),
      mayPutTasks(ctx.traits),
      options,
    );
    if (!session) throw new Error("a peer of 2025-11-25 opened no session");
    if (refusesTasks) ctx.learn({ refusesTasks });
    return { ...session, own: randomUUID() };
  } catch (error) {
    const isGone = error instanceof PeerError && error.code === "session_gone";
    throw isGone && ctx.sessions.openedInVain() ? new SessionsForgotten() : error;
  }
}

function share(ctx: WatcherContext, task: WatchedTask): LiveSession | null {
  const session = ctx.sessions.leastUsed();
  return session && ctx.sessions.attach(task, session.record);
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
export async function sessionGone(ctx: WatcherContext, task: WatchedTask): Promise<number> {
  const session = task.session;
  if (!session) throw new Error(`task ${task.id} has no session that could be gone`);
  const isFirst = !session.renewal;
  const pause = isFirst ? ctx.sessions.saidGone(session) : 0;
  if (pause > 0 && !ctx.sessions.areUseless) return pause;
  if (pause > 0) throw new SessionsForgotten();
  await renewSession(ctx, task);
  // The old session may be the right one after all, if tasks are bound to sessions.
  if (session.answered) setCold(task, { formerSession: session.record });
  else if (isFirst) {
    ctx.sessions.gone(session);
    closeSession(ctx, session);
  }
  // Only an answer proves that the server works again.
  if (ctx.sessions.areUseless) throw new SessionsForgotten();
  return 0;
}

/**
 * Leaves a session that counts as gone after a failed call, whose retry opens a new one. Returns true if the
 * session never answered.
 */
export function leaveIfGone(ctx: WatcherContext, task: WatchedTask): boolean {
  const { session } = task;
  if (!session || ctx.sessions.saidGone(session) > 0) return false;
  const left = dropStreams(ctx, task);
  ctx.sessions.gone(session);
  if (left && !left.answered) closeSession(ctx, left);
  return !session.answered;
}

/**
 * Returns the task to its former session if that knows the task after all, because the new one does not.
 * Returns false if not.
 */
export async function returnToFormer(ctx: WatcherContext, task: WatchedTask): Promise<boolean> {
  const { formerSession } = task.cold;
  setCold(task, { formerSession: null });
  if (!formerSession) return false;
  const { taskId } = taskRef(ctx, task);
  const peer = ctx.peer("2025-11-25");
  for (let tries = 1; ; tries++) {
    try {
      await peer.get({ taskId, session: formerSession }, callOptions(task, OPEN_DEADLINE_MS));
      break;
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      if (error.code !== "session_gone" || tries >= SAID_GONE) return false;
      await pause(SAID_GONE_MS * 2 ** (tries - 1));
    }
  }
  const left = ctx.sessions.detach(task);
  if (left) closeSession(ctx, left);
  const session = ctx.sessions.attach(task, formerSession);
  session.saidGone = Math.max(1, session.saidGone);
  ctx.sessions.answered(session);
  await fencedTransaction(ctx, task, (tx) => storeSession(tx, task.id, sealSession(ctx, task)!));
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
export async function renewSession(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  const old = task.session;
  closeResultStream(ctx, task);
  if (!old) throw new Error(`task ${task.id} has no session to renew`);
  closeStandalone(old);
  old.renewal ??= openAnew(ctx, task).catch((error: unknown) => {
    old.renewal = null;
    throw error;
  });
  const fresh = await old.renewal;
  ctx.sessions.detach(task);
  ctx.sessions.attach(task, fresh.record);
  setCalls(task, { ownEventId: null, resultId: null });
  await fencedTransaction(ctx, task, (tx) => storeSession(tx, task.id, sealSession(ctx, task)!));
  setCold(task, { listenUntil: Number.POSITIVE_INFINITY, resultStreamAgainAt: 0 });
}

async function openAnew(ctx: WatcherContext, task: WatchedTask): Promise<LiveSession> {
  const opened = await open(ctx, task);
  const old = task.session;
  const fresh = ctx.sessions.attach(task, opened);
  fresh.answered = false;
  task.session = old;
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
  task: WatchedTask,
  session: LiveSession,
  isNew = false,
): Promise<void> {
  if (session.stream || !session.hasStream) return;
  session.streamAgainAt = performance.now() + STREAM_RETRY_MS;
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
  const late = pause(ctx.sessions.opensLate ? 0 : LISTEN_GRACE_MS, true, { ref: false });
  if (await Promise.race([stream.opened, late])) ctx.sessions.opensLate = true;
}

/** Opens a running task's standalone stream again, at most once per `STREAM_RETRY_MS`. */
export async function tryStandalone(ctx: WatcherContext, task: WatchedTask, now: number): Promise<void> {
  const { session } = task;
  if (session && now >= session.streamAgainAt) await openStandalone(ctx, task, session);
}

/** Opens and closes streams to fit what the task waits for. Called at every step of a running task. */
export async function tendStreams(ctx: WatcherContext, task: WatchedTask, now: number): Promise<void> {
  const { session, work } = task;
  // No server knows the handle of a recipe's task as a task.
  const isServers = work.recipeVersion === null;
  if (isServers && work.era === "2026-07-28" && task.handle !== null) ctx.follow(task.handle);
  if (work.era !== "2025-11-25" || !session) return;
  const waitsForQuestion =
    work.state === "input_required" && work.requests.length === 0 && !work.cancelRequested;
  const isFetchedFrom = work.requests.some((request) => keptTask(request) !== null);
  setCold(task, { listenUntil: listenUntil(ctx, task, now) });
  const wanted = [...session.tasks].some((task) => now < task.cold.listenUntil);
  if (wanted) await tryStandalone(ctx, task, now);
  else closeStandalone(session);
  // Nothing followed the accepted answers: the stream may bring the next question, or the same again.
  const isSilent =
    work.requests.length > 0 && work.requests.every(({ delivery }) => delivery?.state === "accepted");
  const isOver = !(waitsForQuestion || isSilent) || now > task.cold.resultStreamUntil;
  if (isOver && !isFetchedFrom && !keepsResultStream(ctx, task, session, now)) closeResultStream(ctx, task);
  if (waitsForQuestion) await requestPendingQuestion(ctx, task, now);
  if (isFetchedFrom && work.state === "input_required") await holdForRequests(ctx, task, session, now);
}

/**
 * A stream that brought a question stays for the next ones, as with the protocol's own clients: servers on their package 1.x
 * take what they say of a task from a queue, and what goes to a stream that was dropped is lost. Not where the server asks
 * again by itself, nor beyond the time in which the session is listened to at all, since a person may take weeks.
 */
function keepsResultStream(
  ctx: WatcherContext,
  task: WatchedTask,
  session: LiveSession,
  now: number,
): boolean {
  return isAlone(ctx, session) && !ctx.traits.reissues && now < task.cold.listenUntil;
}

/** Whatever comes on a stream of the session is known to be of the one task, or says of which. */
function isAlone(ctx: WatcherContext, session: LiveSession): boolean {
  return session.tasks.size === 1 || ctx.traits.namesTask === true;
}

/**
 * Holds `tasks/result` while the server may ask for tasks of ours: some servers send whatever belongs to a task on that
 * stream alone. Not on a session shared with tasks that the server does not name, where an unnamed question on it would
 * count as this task's.
 */
async function holdForRequests(
  ctx: WatcherContext,
  task: WatchedTask,
  session: LiveSession,
  now: number,
): Promise<void> {
  if (!isAlone(ctx, session) || task.cold.resultStream || now < task.cold.resultStreamAgainAt) return;
  setCold(task, { resultStreamAgainAt: now + QUESTION_WAIT_MS, resultStreamUntil: 0 });
  await openResultStream(ctx, task, session);
}

/** Returns until when to listen: while the task runs, but after a question only for its retraction. */
function listenUntil(ctx: WatcherContext, task: WatchedTask, now: number): number {
  const hasOpen = task.work.requests.some((request) => request.state === "open");
  // The server asks for the answer, on whatever stream is open.
  if (task.work.requests.some((request) => keptTask(request) !== null)) return Number.POSITIVE_INFINITY;
  const quietMs = task.work.quietMs + (now - task.loadedAt);
  // A server that reissues questions needs no stream for a task that waits or sleeps.
  if (ctx.traits.reissues && (hasOpen || quietMs > STREAM_QUIET_MS)) return 0;
  return hasOpen ? Math.min(task.cold.listenUntil, now + RETRACTION_WAIT_MS) : Number.POSITIVE_INFINITY;
}

/** Requests a question known to be pending; learns from the server's silence if none comes. */
export function requestPendingQuestion(ctx: WatcherContext, task: WatchedTask, now: number): Promise<void> {
  return requestFrom(ctx, task, now, true);
}

/**
 * Requests the pending question, at limited intervals. First replays a broken stream of the task, if the
 * server can; later opens `tasks/result` for a while.
 */
export function requestQuestion(ctx: WatcherContext, task: WatchedTask, now: number): Promise<void> {
  return requestFrom(ctx, task, now, false);
}

async function requestFrom(
  ctx: WatcherContext,
  task: WatchedTask,
  now: number,
  isPending: boolean,
): Promise<void> {
  const { session } = task;
  const isOver = now > task.cold.resultStreamUntil;
  if (isOver && !(session && keepsResultStream(ctx, task, session, now))) closeResultStream(ctx, task);
  if (!session || now < task.cold.resultStreamAgainAt || (task.cold.resultStream && !isOver)) return;
  if (!takeTurn(session, task, ctx.traits)) {
    // The task that has the turn wakes the next one, but a call wakes none.
    if (session.asking === null) ctx.wake(task.id, CALLER_WAIT_MS);
    return;
  }
  // An unattributed question may be the one that the server was asked for.
  if (isPending && task.cold.resultStreamUntil > 0 && !ctx.hasUnattributed(session)) {
    setCold(task, { unasked: task.cold.unasked + 1 });
    learnFromSilence(ctx, task);
  }
  const againIn = Math.min(QUESTION_RETRY_CAP_MS, QUESTION_RETRY_MS * 1.5 ** Math.min(task.cold.unasked, 20));
  setCold(task, { resultStreamAgainAt: now + againIn, resultStreamUntil: now + QUESTION_WAIT_MS });
  const replayFrom = task.calls.ownEventId;
  if (replayFrom === null) await openResultStream(ctx, task, session);
  else {
    setCalls(task, { ownEventId: null });
    replay(ctx, task, session, replayFrom);
    // The next request, soon, uses `tasks/result`.
    setCold(task, { resultStreamAgainAt: now + QUESTION_WAIT_MS });
  }
  ctx.wake(task.id, QUESTION_WAIT_MS);
}

async function openResultStream(ctx: WatcherContext, task: WatchedTask, session: LiveSession): Promise<void> {
  await giveUpRequest(ctx, task, session);
  const answered = () => setCalls(task, { resultId: null });
  holdOwn(ctx, task, session, async (listener, signal) => {
    const hearing = {
      ...listener,
      onCall(resultId: number) {
        setCalls(task, { resultId });
        task.idsChanged = true;
      },
      // The wake-up polls the end; the result that came with the stream is fetched again then.
      onResult() {
        answered();
        ctx.wake(task.id, 0);
      },
    };
    const options = { ...callOptions(task, MAX_TIMER_MS), signal };
    try {
      return await ctx.peer("2025-11-25").openResult(taskRef(ctx, task), hearing, options);
    } catch (error) {
      if (error instanceof PeerError && error.reached === "yes") answered();
      throw error;
    }
  });
}

/** Gives up the `tasks/result` whose stream was dropped here or by another process, unless the server replays what it says there. */
export async function giveUpDropped(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  if (task.session && !task.cold.resultStream && task.calls.ownEventId === null)
    await giveUpRequest(ctx, task, task.session);
}

/**
 * Says of the last `tasks/result` that nobody waits for its reply any more: several that wait at servers on the protocol's
 * package 1.x share the task's messages between them. The task, and what it has asked, stay. A server that asks again by
 * itself may take back with the request what it asked by it.
 */
async function giveUpRequest(ctx: WatcherContext, task: WatchedTask, { record }: LiveSession): Promise<void> {
  const { resultId } = task.calls;
  if (resultId === null || ctx.traits.reissues) return;
  setCalls(task, { resultId: null });
  const params = { requestId: resultId, reason: "asked again" };
  await ctx
    .peer("2025-11-25")
    .post(record, { method: "notifications/cancelled", params }, callOptions(task, CALL_DEADLINE_MS))
    .catch((error: unknown) => ctx.log.debug({ err: error, taskId: task.id }, "a request was not given up"));
}

/** Resumes a stream of the task after its last event; servers with an event store replay what was missed. */
function replay(ctx: WatcherContext, task: WatchedTask, liveSession: LiveSession, from: string): void {
  const session = { ...liveSession.record, lastEventId: from };
  holdOwn(ctx, task, liveSession, (listener, signal) =>
    ctx.peer("2025-11-25").listen(
      session,
      // Replayed events have ids too, but the next request uses `tasks/result`.
      { ...listener, onEventId: () => undefined },
      { ...callOptions(task, MAX_TIMER_MS), signal },
    ),
  );
}

/** Opens a stream that may bring the task's question. Not awaited; polls handle refusals. */
function holdOwn(
  ctx: WatcherContext,
  task: WatchedTask,
  session: LiveSession,
  open: (listener: StreamListener, signal: AbortSignal) => Promise<Stream | null>,
): void {
  const over = () => {
    if (task.cold.resultStream !== stream) return;
    setCold(task, { resultStream: null });
    wakeNext(ctx, session, task);
  };
  const stream = openBeside(
    async (signal) => {
      const opened = await open(listenerOf(ctx, session, task, over), signal);
      if (!opened) over();
      return opened;
    },
    (error) => {
      over();
      // Some servers answer at once instead of blocking; their questions come on the standalone stream.
      const isOdd = !(error instanceof PeerError);
      ctx.log[isOdd ? "error" : "debug"]({ err: error, taskId: task.id }, "a stream was refused");
    },
  );
  const earlier = task.cold.resultStream;
  setCold(task, { resultStream: stream });
  earlier?.close();
}

function wakeNext(ctx: WatcherContext, session: LiveSession, task: WatchedTask): void {
  const next = endTurn(session, task);
  if (next) ctx.wake(next.id, 0);
}

/**
 * Resets the count of requests without a question, because one came or is answered. A stream that is kept has time to bring
 * the next one; without one the next request need not wait.
 */
export function resetSilence(task: WatchedTask): void {
  const { resultStream, resultStreamAgainAt } = task.cold;
  setCold(task, {
    unasked: 0,
    resultStreamUntil: 0,
    resultStreamAgainAt: resultStream ? Math.max(resultStreamAgainAt, clockMs() + QUESTION_WAIT_MS) : 0,
  });
}

function closeResultStream(ctx: WatcherContext, task: WatchedTask): void {
  const { resultStream } = task.cold;
  setCold(task, { resultStream: null });
  resultStream?.close();
  if (task.session) wakeNext(ctx, task.session, task);
}

/** Drops the task's streams and call, and closes its session on the server if no other task uses that. */
export async function leaveSession(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  const left = dropStreams(ctx, task);
  // A paused server drops the session by itself in time.
  if (!left || left.mayHoldMore || ctx.paused) return;
  await ctx
    .peer("2025-11-25")
    .close(left.record, { deadlineMs: CALL_DEADLINE_MS })
    .catch((error: unknown) => ctx.log.debug({ err: error, taskId: task.id }, "a session was not closed"));
}

/**
 * Drops the task's streams and call; sends nothing. Returns the session if the task was its last, else null.
 */
export function dropStreams(ctx: WatcherContext, task: WatchedTask): LiveSession | null {
  closeResultStream(ctx, task);
  task.calls.call?.close();
  return ctx.sessions.detach(task);
}

/**
 * Drops the task's streams when its watcher ends. With `keepsCall` the call stays open, and the task keeps
 * its session, to store both with the reply.
 */
export function leaveStreams(ctx: WatcherContext, task: WatchedTask, keepsCall: boolean): void {
  if (!keepsCall) {
    dropStreams(ctx, task);
    return;
  }
  closeResultStream(ctx, task);
  const { session } = task;
  ctx.sessions.detach(task);
  task.session = session;
}
