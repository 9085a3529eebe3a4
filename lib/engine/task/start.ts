/** Starting a task, once: the attempt is committed before the call, the handle right after it. */
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

/** The first attempt of a queued task. Returns the pause until the next step, in ms. */
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

/** What has to be known and open before the call, and may fail without harm. A pause where it can't be made now. */
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
 * Servers that ask only on the standalone stream drop the question where it is not open: it comes first. The session
 * of a try that never got as far as the call is used again, with its stream.
 */
async function joinListening(ctx: WatcherContext, entry: WatchedTask): Promise<LiveSession | null> {
  const isNew = entry.live === null;
  const live = await joinSession(ctx, entry);
  if (!live) return null;
  waitForCall(live, entry);
  // A session that was opened a moment ago is not gone: some servers answer 404 where they have no such stream.
  await openStandalone(ctx, entry, live, isNew);
  return live;
}

/** A task found in `starting`: nobody knows what became of the call. */
export async function resolveStart(ctx: WatcherContext, entry: WatchedTask): Promise<number> {
  // Found after a crash: what the call made, if it was read, lives in the session that the attempt was committed with.
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
    // The session stays open on the server: the task, if there is one, lives in it.
    if (entry.live) entry.live.mayHoldMore = true;
    leaveBehind(entry);
    dropStreams(ctx, entry);
    return 0;
  }
  // The last attempt's session may hold a task of its own; this one is made where questions can be told apart.
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

/** Makes the call of an attempt that was just committed. A reply that takes its time is awaited beside the steps. */
export function call(ctx: WatcherContext, entry: WatchedTask, attempt: string): Promise<number> {
  const { work } = entry;
  // A round of answers is what its answers' people have asked for.
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
 * The call lasts longer than one that makes a task: it is the task, or may be. Where its reply can only be a handle,
 * nobody knows what became of the call until that is here.
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
