/**
 * Starts a task once: the attempt is committed before the call, the handle right after its reply. In this order:
 * `prepare()` (a session, the arguments), `markStarting()` (commits the attempt), `makeCall()` (makes the call and waits for its
 * outcome, in make-call.ts), `storeCallOutcome()` (call-outcome.ts). An attempt whose process died is judged by `resolveStart()`.
 */
import { randomUUID } from "node:crypto";
import { inScope } from "../../base/process/scope.ts";
import { markStarting, markStartingOfRecipe, renewAttempt } from "../../lifecycle/call-attempt-writes.ts";
import { hasAsked } from "../../mcp/stream-messages/stream-message-reads.ts";
import { dropStreams } from "../sessions/session-moves.ts";
import { leaveBehind } from "../sessions/sessions.ts";
import { ATTEMPT_DEADLINE_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { fencedBeginning, readAndBegin } from "../watcher/fenced-writes.ts";
import { markStale, type WatchedTask } from "../watcher/watched-task.ts";
import { leaveUnknown } from "./call-outcome.ts";
import { makeCall, markLongRunning, prepare } from "./make-call.ts";
import { eraFor } from "./peer-of.ts";
import { rediscover } from "./rediscover.ts";
import { isPlain, mayRepeat } from "./send-call.ts";
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
  return makeCall(ctx, task, attempt);
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
  return renewed ? makeCall(ctx, task, attempt) : 0;
}

/**
 * Returns whether the call of a tool that never runs as a task has asked: such a call has begun, and its connection went with
 * the process that made it. The question may be stored as heard only.
 */
async function hasBegun(ctx: WatcherContext, { work, id }: WatchedTask): Promise<boolean> {
  if (!isPlain(work)) return false;
  return work.requests.length > 0 || ctx.read((tx) => hasAsked(tx, id));
}
