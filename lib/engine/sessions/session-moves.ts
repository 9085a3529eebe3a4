/** How tasks join, renew and leave sessions of 2025-11-25. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { storeSession } from "../../lifecycle/running-task-writes.ts";
import { openSession } from "../../mcp/connect.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { mayPutTasks } from "../../servers/traits.ts";
import { sealSession, taskRef } from "../task/task-secrets.ts";
import {
  CALL_DEADLINE_MS,
  OPEN_DEADLINE_MS,
  SAID_GONE,
  SAID_GONE_MS,
  SESSIONS_FULL_MS,
} from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import { fencedTransaction } from "../watcher/fenced-writes.ts";
import {
  type LiveSession,
  type SessionRecord,
  setCalls,
  setCold,
  type WatchedTask,
} from "../watcher/watched-task.ts";
import { closeResultStream } from "./result-stream.ts";
import { closeStandalone } from "./sessions.ts";

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
  task.idsChanged = true;
  await fencedTransaction(ctx, task, (tx) => storeSession(tx, task.id, sealSession(ctx, task)!));
  task.idsChanged = false;
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
  // If this write fails, the next step stores the session.
  task.idsChanged = true;
  await fencedTransaction(ctx, task, (tx) => storeSession(tx, task.id, sealSession(ctx, task)!));
  task.idsChanged = false;
  setCold(task, { listenUntil: Number.POSITIVE_INFINITY, resultStreamAgainAt: 0 });
}

async function openAnew(ctx: WatcherContext, task: WatchedTask): Promise<LiveSession> {
  const opened = await open(ctx, task);
  const old = task.session;
  const fresh = ctx.sessions.attach(task, opened);
  fresh.answered = false;
  fresh.former = old;
  task.session = old;
  return fresh;
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
