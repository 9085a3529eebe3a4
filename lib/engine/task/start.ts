/** Starts a task once: the attempt is committed before the call, the handle right after its reply. */
import { randomUUID } from "node:crypto";
import { inScope } from "../../base/process/scope.ts";
import { inSpan } from "../../base/tracing/span.ts";
import {
  markOpenCall,
  markStarting,
  markStartingOfRecipe,
  markStartUnknown,
  noteWaiting,
  renewAttempt,
} from "../../lifecycle/call-attempt-writes.ts";
import { PeerError } from "../../mcp/peer.ts";
import { hasAsked } from "../../mcp/stream-messages/stream-message-reads.ts";
import { leaveBehind, takeCallTurn, waitForCall } from "../sessions/sessions.ts";
import { dropStreams, joinSession, openStandalone } from "../sessions/streams.ts";
import { ATTEMPT_DEADLINE_MS, CALLER_WAIT_MS, SESSION_WAIT_MS, SLOW_POLL_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { fencedBeginning, fencedTransaction, readAndBegin } from "../watcher/fenced-writes.ts";
import { spanAfter } from "../watcher/traced-peer.ts";
import { type LiveSession, markStale, setCalls, type WatchedTask } from "../watcher/watched-task.ts";
import { reasonOf, SESSIONS_FULL, storeCallOutcome } from "./call-outcome.ts";
import { eraFor, peerOf } from "./peer-of.ts";
import { rediscover } from "./rediscover.ts";
import { isPlain, mayBeHeld, mayRepeat, promptOutcome, sendCall } from "./send-call.ts";
import { restoreSession, sealSession } from "./task-secrets.ts";

/** Makes the first attempt of a queued task. Returns the pause until the next step, in ms. */
export async function start(ctx: WatcherContext, task: WatchedTask): Promise<number> {
  const pause = await prepare(ctx, task);
  if (pause !== null) return pause;
  const attempt = randomUUID();
  const era = await ctx.era();
  await ctx.mayChange();
  const mark = task.work.recipeVersion === null ? markStarting : markStartingOfRecipe;
  const marked = await fencedBeginning(
    ctx,
    task,
    async (tx) =>
      ctx.mayBegin &&
      (await mark(tx, task.id, {
        id: attempt,
        deadlineMs: ATTEMPT_DEADLINE_MS,
        era,
        sealedSession: sealSession(ctx, task),
      })),
  );
  if (!marked) return 0;
  task.work = { ...task.work, era: eraFor(task.work, era) };
  return call(ctx, task, attempt);
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
  return inScope({ requestId: work.requestId, trace: null }, () => call(ctx, task, attempt.id));
}

/**
 * Prepares token, era, session and stream, all of which may fail without harm. Returns the pause in ms if the
 * call can't be made now, else null.
 */
export async function prepare(ctx: WatcherContext, task: WatchedTask): Promise<number | null> {
  try {
    await ctx.ready();
    const era = await ctx.era();
    if (task.work.recipeVersion !== null) await peerOf(ctx, task);
    if (eraFor(task.work, era) !== "2025-11-25") return null;
    const session = await joinListening(ctx, task);
    if (!session) {
      await note(ctx, task, SESSIONS_FULL);
      return SESSION_WAIT_MS;
    }
    return takeCallTurn(session, task, ctx.traits) ? null : CALLER_WAIT_MS;
  } catch (error) {
    if (error instanceof PeerError) {
      if (error.code === "session_gone") dropStreams(ctx, task);
      await note(ctx, task, reasonOf(error));
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
    await fencedTransaction(ctx, task, (tx) => markStartUnknown(tx, task.id, last));
    // The session stays open on the server, because a task may live in it.
    if (task.session) task.session.mayHoldMore = true;
    leaveBehind(task);
    dropStreams(ctx, task);
    return 0;
  }
  // A task of the last attempt may ask in the old session; a new one keeps the questions apart.
  leaveBehind(task);
  dropStreams(ctx, task);
  const pause = await prepare(ctx, task);
  if (pause !== null) return pause;
  const attempt = randomUUID();
  await ctx.mayChange();
  const renewed = await fencedBeginning(
    ctx,
    task,
    async (tx) =>
      ctx.mayBegin &&
      (await renewAttempt(tx, task.id, last, {
        id: attempt,
        deadlineMs: ATTEMPT_DEADLINE_MS,
        sealedSession: sealSession(ctx, task),
      })),
  );
  return renewed ? call(ctx, task, attempt) : 0;
}

/**
 * Returns whether the call of a tool that never runs as a task has asked: such a call has begun, and its connection went with
 * the process that made it. The question may be stored as heard only.
 */
async function hasBegun(ctx: WatcherContext, { work, id }: WatchedTask): Promise<boolean> {
  if (!isPlain(work)) return false;
  return work.requests.length > 0 || ctx.read((tx) => hasAsked(tx, id));
}

/** Makes the call of an attempt that was just committed. Slow replies are awaited in later steps. */
export function call(ctx: WatcherContext, task: WatchedTask, attempt: string): Promise<number> {
  const { work } = task;
  // A repeated call belongs to the trace of the person who answered.
  const answer = work.requests.find(({ delivery }) => delivery?.state === "sending")?.delivery;
  const asked = answer ? answer.traceparent : work.traceparent;
  const name = answer ? "answer.deliver" : "task.start";
  if (asked === null) return place(ctx, task, attempt);
  return inSpan(name, spanAfter(ctx, task, asked), () => place(ctx, task, attempt));
}

async function place(ctx: WatcherContext, task: WatchedTask, attempt: string): Promise<number> {
  const peer = await peerOf(ctx, task);
  await ctx.mayChange();
  ctx.log.info({ taskId: task.id }, "a tool is called");
  const placed = sendCall(ctx, task, attempt, peer);
  setCalls(task, { call: placed });
  await promptOutcome(placed);
  return placed.result ? storeCallOutcome(ctx, task, placed) : markLongRunning(ctx, task, attempt);
}

/**
 * Marks a call that takes longer than making a task as an open call. A call whose reply can only be a handle
 * stays a start of unknown outcome.
 */
export async function markLongRunning(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
): Promise<number> {
  if (!mayBeHeld(task.work)) return SLOW_POLL_MS;
  await fencedTransaction(ctx, task, (tx) => markOpenCall(tx, task.id, attempt, sealSession(ctx, task)));
  return 0;
}

async function note(ctx: WatcherContext, task: WatchedTask, why: { code: string; message: string }) {
  await fencedTransaction(ctx, task, (tx) => noteWaiting(tx, task.id, why));
}
