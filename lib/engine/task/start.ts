/**
 * Starts a task once: the attempt is committed before the call, the handle right after its reply. In this order:
 * `prepare()` (token, era, session and stream), `markStarting()` (commits the attempt), `makeCall()` (makes the call and waits a few
 * seconds for its reply, in make-call.ts), `storeCallOutcome()` (call-outcome.ts). `resolveStart()` judges an attempt whose process died.
 */
import { randomUUID } from "node:crypto";
import type { Tx } from "../../base/db/db.ts";
import { inScope } from "../../base/process/scope.ts";
import {
  type Attempt,
  markStarting,
  markStartingOfRecipe,
  noteWaiting,
  renewAttempt,
} from "../../lifecycle/call-attempt-writes.ts";
import type { TaskWork } from "../../lifecycle/engine-task.ts";
import type { Era } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { hasAsked } from "../../mcp/stream-messages/stream-message-reads.ts";
import { dropStreams, joinSession } from "../sessions/session-moves.ts";
import { leaveBehind, takeCallTurn, waitForCall } from "../sessions/sessions.ts";
import { openStandalone } from "../sessions/standalone-stream.ts";
import { ATTEMPT_DEADLINE_MS, CALLER_WAIT_MS, SESSION_WAIT_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { fencedBeginning, fencedTransaction, readAndBegin } from "../watcher/fenced-writes.ts";
import { type LiveSession, markStale, type WatchedTask } from "../watcher/watched-task.ts";
import { leaveUnknown, reasonOf, SESSIONS_FULL } from "./call-outcome.ts";
import { makeCall, markLongRunning } from "./make-call.ts";
import { eraFor, peerOf } from "./peer-of.ts";
import { rediscover } from "./rediscover.ts";
import { isPlain, mayRepeat } from "./send-call.ts";
import { restoreSession, sealSession } from "./task-secrets.ts";

/** Makes the first attempt of a queued task. Returns the pause until the next step, in ms. */
export function start(ctx: WatcherContext, task: WatchedTask): Promise<number> {
  const mark = task.work.recipeVersion === null ? markStarting : markStartingOfRecipe;
  return makeAttempt(ctx, task, async (tx, attempt, era) =>
    (await mark(tx, task.id, { ...attempt, era }))
      ? { ...task.work, state: "starting", era: eraFor(task.work, era) }
      : null,
  );
}

/**
 * Prepares a call, commits its attempt, and makes it. `begin` writes the attempt, and returns the task as it is then; null: the
 * call is not to be made. Returns the pause until the next step, in ms.
 */
export async function makeAttempt(
  ctx: WatcherContext,
  task: WatchedTask,
  begin: (tx: Tx, attempt: Attempt, era: Era) => Promise<TaskWork | null>,
): Promise<number> {
  const pause = await prepare(ctx, task);
  if (pause !== null) return pause;
  const era = await ctx.era();
  const id = randomUUID();
  await ctx.mayChange();
  const work = await fencedBeginning(ctx, task, async (tx) => {
    if (!ctx.mayBegin) return null;
    const sealedSession = sealSession(ctx, task);
    return begin(tx, { id, deadlineMs: ATTEMPT_DEADLINE_MS, sealedSession }, era);
  });
  if (!work) return 0;
  task.work = work;
  return makeCall(ctx, task, id);
}

/**
 * Makes the first attempt of a task that was told of, by one transaction that reads it too. Returns the pause until the next
 * step, in ms; null: no attempt was made, and the task is to be read to know why.
 */
export async function startUnread(ctx: WatcherContext, task: WatchedTask): Promise<number | null> {
  const era = await ctx.era();
  // The attempts of 2025-11-25 name the session that they were made in.
  if (era !== "2026-07-28") return null;
  const pause = await prepare(ctx, task);
  if (pause !== null) return pause;
  const attempt = { id: randomUUID(), deadlineMs: ATTEMPT_DEADLINE_MS, era, sealedSession: null };
  await ctx.mayChange();
  const started = await readAndBegin(ctx, task, async (tx, { recipeVersion }) =>
    // A recipe is read before its attempt is committed.
    ctx.mayBegin && recipeVersion === null && (await markStarting(tx, task.id, attempt)) ? attempt.id : null,
  );
  if (!started) return null;
  const { work, at } = started;
  task.work = { ...work, era };
  task.loadedAt = at;
  return inScope({ requestId: work.requestId, trace: null }, () => makeCall(ctx, task, attempt.id));
}

/** Resolves a task found in `starting`, whose call's outcome is unknown. Returns the pause in ms. */
export async function resolveStart(ctx: WatcherContext, task: WatchedTask): Promise<number> {
  // A task that the call made before a crash lives in the session stored with the attempt.
  restoreSession(ctx, task);
  const { attemptDueInMs, toolHints, cancelRequested } = task.work;
  const last = task.work.attemptId!;
  if (await hasBegun(ctx, task)) return markLongRunning(ctx, task, last);
  if ((attemptDueInMs ?? 0) > 0) {
    markStale(task);
    return attemptDueInMs!;
  }
  if (!mayRepeat(toolHints, cancelRequested)) {
    if (await rediscover(ctx, task, last)) return 0;
    await leaveUnknown(ctx, task, last);
    return 0;
  }
  // A task of the last attempt may ask in the old session; a new one keeps the questions apart.
  leaveBehind(task);
  dropStreams(ctx, task);
  return makeAttempt(ctx, task, async (tx, attempt) =>
    (await renewAttempt(tx, task.id, last, attempt)) ? task.work : null,
  );
}

/**
 * Returns whether the call of a tool that never runs as a task has asked: such a call has begun, and its connection went with
 * the process that made it. The question may be stored as heard only.
 */
async function hasBegun(ctx: WatcherContext, { work, id }: WatchedTask): Promise<boolean> {
  if (!isPlain(work)) return false;
  return work.requests.length > 0 || ctx.read((tx) => hasAsked(tx, id));
}

/**
 * Prepares token, era, session and stream, all of which may fail without harm. Returns the pause in ms if the
 * call can't be made now, else null.
 */
async function prepare(ctx: WatcherContext, task: WatchedTask): Promise<number | null> {
  try {
    await ctx.ready();
    const era = await ctx.era();
    if (task.work.recipeVersion !== null) await peerOf(ctx, task);
    if (eraFor(task.work, era) !== "2025-11-25") return null;
    const session = await joinListening(ctx, task);
    if (!session) {
      await noteReason(ctx, task, SESSIONS_FULL);
      return SESSION_WAIT_MS;
    }
    return takeCallTurn(session, task, ctx.traits) ? null : CALLER_WAIT_MS;
  } catch (error) {
    if (error instanceof PeerError) {
      if (error.code === "session_gone") dropStreams(ctx, task);
      await noteReason(ctx, task, reasonOf(error));
    }
    throw error;
  }
}

/**
 * Opens the standalone stream before the call, because some servers ask only there and drop the question if
 * the stream is closed. Reuses the session and stream of an attempt that made no call. Returns null if no
 * session is free.
 */
async function joinListening(ctx: WatcherContext, task: WatchedTask): Promise<LiveSession | null> {
  const isNew = task.session === null;
  const session = await joinSession(ctx, task);
  if (!session) return null;
  waitForCall(session, task);
  // Some servers answer 404 if they have no such stream, so a 404 does not mean that a new session is gone.
  await openStandalone(ctx, task, session, isNew);
  return session;
}

async function noteReason(ctx: WatcherContext, task: WatchedTask, why: { code: string; message: string }) {
  await fencedTransaction(ctx, task, (tx) => noteWaiting(tx, task.id, why));
}
