/** Makes the call of a committed attempt: what has to be there before it, and what follows its first reply. */
import { inSpan } from "../../base/tracing/span.ts";
import { markOpenCall, noteWaiting } from "../../lifecycle/call-attempt-writes.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { dropStreams, joinSession } from "../sessions/session-moves.ts";
import { takeCallTurn, waitForCall } from "../sessions/sessions.ts";
import { openStandalone } from "../sessions/standalone-stream.ts";
import { CALLER_WAIT_MS, SESSION_WAIT_MS, SLOW_POLL_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { fencedTransaction } from "../watcher/fenced-writes.ts";
import { spanAfter } from "../watcher/traced-peer.ts";
import { type LiveSession, setCalls, type WatchedTask } from "../watcher/watched-task.ts";
import { reasonOf, SESSIONS_FULL, storeCallOutcome } from "./call-outcome.ts";
import { eraFor, peerOf } from "./peer-of.ts";
import { mayBeHeld, promptOutcome, sendCall } from "./send-call.ts";
import { sealSession } from "./task-secrets.ts";

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

/** Makes the call of an attempt that was just committed. Slow replies are awaited in later steps. */
export function makeCall(ctx: WatcherContext, task: WatchedTask, attempt: string): Promise<number> {
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
