/** Starts a task once: the attempt is committed before the call, the handle right after its reply. */
import { randomUUID } from "node:crypto";
import { PeerError } from "../../mcp/peer.ts";
import {
  markOpenCall,
  markStarting,
  markStartUnknown,
  noteWaiting,
  renewAttempt,
} from "../../task-lifecycle/attempts.ts";
import { inSpan } from "../../tracing/span.ts";
import { leaveBehind, takeCallTurn, waitForCall } from "../sessions/sessions.ts";
import { dropStreams, joinSession, openStandalone } from "../sessions/streams.ts";
import { ATTEMPT_DEADLINE_MS, CALLER_WAIT_MS, SESSION_WAIT_MS, SLOW_POLL_MS } from "../tunables.ts";
import { fencedTransaction, type WatcherContext } from "../watcher/context.ts";
import { spanAfter } from "../watcher/traced-peer.ts";
import { type LiveSession, type OpenCall, setCalls, type WatchedTask } from "../watcher/watched-task.ts";
import { mayBeHeld, mayRepeat, promptOutcome, sendCall } from "./call.ts";
import { reasonOf, SESSIONS_FULL, storeCallOutcome } from "./call-outcome.ts";
import { rediscover } from "./rediscover.ts";
import { restoreSession, sealSession } from "./sealed.ts";

/** Makes the first attempt of a queued task. Returns the pause until the next step, in ms. */
export async function start(ctx: WatcherContext, entry: WatchedTask): Promise<number> {
  const pause = await prepare(ctx, entry);
  if (pause !== null) return pause;
  const attempt = randomUUID();
  const era = await ctx.era();
  await ctx.mayChange();
  const marked = await fencedTransaction(
    ctx,
    entry,
    async (tx) =>
      ctx.mayBegin &&
      (await markStarting(ctx.organizationId, tx, entry.id, {
        id: attempt,
        deadlineMs: ATTEMPT_DEADLINE_MS,
        era,
        sealedSession: sealSession(ctx, entry),
      })),
  );
  if (!marked) return 0;
  entry.work = { ...entry.work, era };
  return call(ctx, entry, attempt);
}

/**
 * Prepares token, era, session and stream, all of which may fail without harm. Returns the pause in ms if the
 * call can't be made now, else null.
 */
export async function prepare(ctx: WatcherContext, entry: WatchedTask): Promise<number | null> {
  try {
    await ctx.ready();
    if ((await ctx.era()) !== "2025-11-25") return null;
    const live = await joinListening(ctx, entry);
    if (!live) {
      await note(ctx, entry, SESSIONS_FULL);
      return SESSION_WAIT_MS;
    }
    return takeCallTurn(live, entry, ctx.traits) ? null : CALLER_WAIT_MS;
  } catch (error) {
    if (error instanceof PeerError) {
      if (error.code === "session_gone") dropStreams(ctx, entry);
      await note(ctx, entry, reasonOf(error));
    }
    throw error;
  }
}

/**
 * Opens the standalone stream before the call, because some servers ask only there and drop the question if
 * the stream is closed. Reuses the session and stream of an attempt that made no call. Returns null if no
 * session is free.
 */
async function joinListening(ctx: WatcherContext, entry: WatchedTask): Promise<LiveSession | null> {
  const isNew = entry.live === null;
  const live = await joinSession(ctx, entry);
  if (!live) return null;
  waitForCall(live, entry);
  // Some servers answer 404 if they have no such stream, so a 404 does not mean that a new session is gone.
  await openStandalone(ctx, entry, live, isNew);
  return live;
}

/** Resolves a task found in `starting`, whose call's outcome is unknown. Returns the pause in ms. */
export async function resolveStart(ctx: WatcherContext, entry: WatchedTask): Promise<number> {
  // A task that the call made before a crash lives in the session stored with the attempt.
  restoreSession(ctx, entry);
  const { attemptDueInMs, toolHints, cancelRequested } = entry.work;
  const last = entry.work.attemptId!;
  if ((attemptDueInMs ?? 0) > 0) {
    entry.stale = true;
    return attemptDueInMs!;
  }
  if (!mayRepeat(toolHints, cancelRequested)) {
    if (await rediscover(ctx, entry, last)) return 0;
    await fencedTransaction(ctx, entry, (tx) => markStartUnknown(ctx.organizationId, tx, entry.id, last));
    // The session stays open on the server, because a task may live in it.
    if (entry.live) entry.live.mayHoldMore = true;
    leaveBehind(entry);
    dropStreams(ctx, entry);
    return 0;
  }
  // A task of the last attempt may ask in the old session; a new one keeps the questions apart.
  leaveBehind(entry);
  dropStreams(ctx, entry);
  const pause = await prepare(ctx, entry);
  if (pause !== null) return pause;
  const attempt = randomUUID();
  await ctx.mayChange();
  const renewed = await fencedTransaction(
    ctx,
    entry,
    async (tx) =>
      ctx.mayBegin &&
      (await renewAttempt(ctx.organizationId, tx, entry.id, last, {
        id: attempt,
        deadlineMs: ATTEMPT_DEADLINE_MS,
        sealedSession: sealSession(ctx, entry),
      })),
  );
  return renewed ? call(ctx, entry, attempt) : 0;
}

/** Makes the call of an attempt that was just committed. Slow replies are awaited in later steps. */
export function call(ctx: WatcherContext, entry: WatchedTask, attempt: string): Promise<number> {
  const { work } = entry;
  // A repeated call belongs to the trace of the person who answered.
  const answer = work.requests.find(({ delivery }) => delivery?.state === "sending")?.delivery;
  const asked = answer ? answer.traceparent : work.traceparent;
  const name = answer ? "answer.deliver" : "task.start";
  if (asked === null) return place(ctx, entry, attempt);
  return inSpan(name, spanAfter(ctx, entry, asked), () => place(ctx, entry, attempt));
}

async function place(ctx: WatcherContext, entry: WatchedTask, attempt: string): Promise<number> {
  await ctx.mayChange();
  ctx.log.info({ taskId: entry.id }, "a tool is called");
  const placed = sendCall(ctx, entry, attempt);
  setCalls(entry, { call: placed });
  await promptOutcome(placed);
  return placed.result ? storeCallOutcome(ctx, entry, placed) : markLongRunning(ctx, entry, placed);
}

/**
 * Marks a call that takes longer than making a task as an open call. A call whose reply can only be a handle
 * stays a start of unknown outcome.
 */
export async function markLongRunning(
  ctx: WatcherContext,
  entry: WatchedTask,
  call: OpenCall,
): Promise<number> {
  if (!mayBeHeld(entry.work)) return SLOW_POLL_MS;
  await fencedTransaction(ctx, entry, (tx) =>
    markOpenCall(ctx.organizationId, tx, entry.id, call.attempt, sealSession(ctx, entry)),
  );
  return 0;
}

async function note(ctx: WatcherContext, entry: WatchedTask, why: { code: string; message: string }) {
  await fencedTransaction(ctx, entry, (tx) => noteWaiting(ctx.organizationId, tx, entry.id, why));
}
