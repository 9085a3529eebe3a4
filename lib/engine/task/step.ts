/** One step of one task: polls, stores, acts. */

import { inScope } from "../../base/scope.ts";
import { releaseHeld } from "../../input-requests/deliveries/transitions.ts";
import { PeerError, type RemoteTask } from "../../mcp/peer.ts";
import { polls } from "../../metrics/engine.ts";
import { markCancelSent, recordProgress } from "../../task-lifecycle/progress.ts";
import { dropTimeLimit } from "../../task-lifecycle/time-limit.ts";
import { loadWork, type RequestWork, type TaskWork } from "../../task-lifecycle/work.ts";
import { hasEnded, isRunning } from "../../tasks/status.ts";
import { inSpan, noteSpan } from "../../tracing/span.ts";
import {
  dropStreams,
  joinSession,
  leaveSession,
  requestQuestion,
  returnToFormer,
  sessionGone,
  tendStreams,
} from "../sessions/streams.ts";
import {
  CALL_DEADLINE_MS,
  CANCEL_GRACE_MS,
  MAX_BROKEN_CANCELS,
  MAX_TIMER_MS,
  NOT_FOUND_CONFIRM_MS,
  POLL_DEADLINE_MS,
  PROGRESS_MS,
  SESSION_WAIT_MS,
} from "../tunables.ts";
import { callOptions, fencedTransaction, retryUntilStored, type WatcherContext } from "../watcher/context.ts";
import { learnFromBeing, learnFromGone, ttlOverForMs } from "../watcher/learning.ts";
import { pollDelay } from "../watcher/poll-schedule.ts";
import { spanOf } from "../watcher/traced-peer.ts";
import type { OpenCall } from "../watcher/watched-task.ts";
import { clockMs, keepMessages, setCalls, setCold, type WatchedTask } from "../watcher/watched-task.ts";
import { applyRemote, end } from "./apply-poll.ts";
import { stepOpenCall, storeIds } from "./blocking-call.ts";
import { storeCallOutcome } from "./call-outcome.ts";
import { deliver, dueDeliveries, turnOf } from "./deliver.ts";
import { stepRound } from "./multi-round-trip.ts";
import { isRound } from "./rounds.ts";
import { handleOf, restoreSession, taskRef } from "./sealed.ts";
import { markLongRunning, resolveStart, start } from "./start.ts";

/**
 * Takes one step, in the log scope of the call that started the task. Returns the pause until the next step
 * in ms, or null if the task needs no more steps.
 */
export function step(ctx: WatcherContext, entry: WatchedTask): Promise<number | null> {
  return inScope({ requestId: entry.work.requestId, trace: null }, () => takeStep(ctx, entry));
}

async function takeStep(ctx: WatcherContext, entry: WatchedTask): Promise<number | null> {
  // Only the database's clock knows how long ago a cancel, or an answer of unknown outcome, was sent.
  const { cancelSent, requests } = entry.work;
  if (cancelSent || requests.some(({ delivery }) => delivery?.state === "sending")) entry.stale = true;
  if (entry.stale && !(await reload(ctx, entry))) return finish(ctx, entry);
  if (entry.work.state === "queued") return untilStart(entry) ?? start(ctx, entry);
  if (entry.work.state === "starting" && entry.calls.call) return awaitReply(ctx, entry, entry.calls.call);
  if (entry.work.state === "starting") return resolveStart(ctx, entry);

  restoreSession(ctx, entry);
  if (entry.work.requests.some(({ delivery }) => delivery?.state === "held" && delivery.dueInMs <= 0))
    await fencedTransaction(ctx, entry, (tx) => releaseHeld(ctx.organizationId, tx, entry.id));
  if (entry.stale && !(await reload(ctx, entry))) return finish(ctx, entry);

  if (isRunning(entry.work.state)) await storeProgress(ctx, entry);
  if (!entry.work.durable && !hasEnded(entry.work.state)) return stepOpenCall(ctx, entry);
  if (isRound(entry.work)) return stepRound(ctx, entry);
  if (!(await tendMemory(ctx, entry))) return SESSION_WAIT_MS;
  const remote = await look(ctx, entry);
  if (entry.stale && !(await reload(ctx, entry))) return finish(ctx, entry);
  if (remote) {
    const pause = await act(ctx, entry, remote);
    if (pause !== null) return pause;
  }
  await tendStreams(ctx, entry, performance.now());
  return nextPause(ctx, entry);
}

/** Returns the pause before a delayed attempt, by the database's clock; null if the attempt is due. */
function untilStart(entry: WatchedTask): number | null {
  const { startsInMs } = entry.work;
  if (startsInMs === null || startsInMs <= 0) return null;
  entry.stale = true;
  return Math.min(Math.ceil(startsInMs), MAX_TIMER_MS);
}

/** Handles a call whose reply, a handle, is late. */
async function awaitReply(ctx: WatcherContext, entry: WatchedTask, call: OpenCall): Promise<number> {
  return call.result ? storeCallOutcome(ctx, entry, call) : markLongRunning(ctx, entry, call);
}

/**
 * Restores in-memory state of a running task, and joins a session if the task has none. Returns false if no
 * session is free.
 */
async function tendMemory(ctx: WatcherContext, entry: WatchedTask): Promise<boolean> {
  handleOf(ctx, entry);
  if (entry.work.era === "2025-11-25" && !entry.live) {
    if (!(await joinSession(ctx, entry))) return false;
    entry.idsChanged = true;
  }
  if (entry.idsChanged) await storeIds(ctx, entry);
  return true;
}

/** Stores progress received by notifications, at most once per `PROGRESS_MS`. */
export async function storeProgress(ctx: WatcherContext, entry: WatchedTask): Promise<void> {
  const { progress, progressAt } = entry.cold;
  if (!progress || performance.now() < progressAt + PROGRESS_MS) return;
  setCold(entry, { progress: null, progressAt: performance.now() });
  await ctx.transaction((tx) => recordProgress(ctx.organizationId, tx, entry.id, progress));
}

export async function reload(ctx: WatcherContext, entry: WatchedTask): Promise<boolean> {
  entry.stale = false;
  const [work] = await ctx.read((tx) => loadWork(ctx.organizationId, tx, ctx.connectionId, [entry.id]));
  if (!work) return false;
  const was = entry.work;
  const moved = work.state !== was.state || work.statusMessage !== was.statusMessage;
  if (
    moved ||
    work.requests.length !== was.requests.length ||
    work.refreshRequestedAt !== was.refreshRequestedAt
  ) {
    entry.unchangedPolls = 0;
    setCold(entry, { resultStreamAgainAt: 0, unasked: 0 });
  }
  entry.work = work;
  entry.loadedAt = clockMs();
  if (
    work.state === "input_required" &&
    was.requests.some((request) => isAnswered(request) && !isAmong(request, work))
  )
    setCold(entry, { answerSettledAt: clockMs() });
  // The transaction just read has settled the call.
  if (entry.calls.call && !awaits(work, entry.calls.call)) {
    entry.calls.call.close();
    setCalls(entry, { call: null });
  }
  return true;
}

/** Returns whether the request has an answer that may have reached the server. */
function isAnswered({ delivery }: RequestWork): boolean {
  return delivery !== null && delivery.state !== "held";
}

function isAmong({ id }: RequestWork, { requests }: TaskWork): boolean {
  return requests.some((other) => other.id === id);
}

function awaits({ state, durable, attemptId }: TaskWork, { attempt }: OpenCall): boolean {
  return attemptId === attempt && (state === "starting" || (!durable && !hasEnded(state)));
}

/** Drops the streams of an ended task, and closes its session if no other task uses that. */
async function finish(ctx: WatcherContext, entry: WatchedTask): Promise<null> {
  if (entry.work.state === "start_unknown") dropStreams(ctx, entry);
  else await leaveSession(ctx, entry);
  return null;
}

const unchangedPolls = polls.labels("unchanged");
const changedPolls = polls.labels("changed");

/** Polls the task. Returns null if the task is unchanged or gone, or needs another look. */
async function look(ctx: WatcherContext, entry: WatchedTask): Promise<RemoteTask | null> {
  const { work } = entry;
  const mustParse =
    (work.cancelRequested && !work.cancelSent) ||
    (work.cancelSentAgoMs ?? 0) > CANCEL_GRACE_MS ||
    entry.cold.missing.size > 0 ||
    entry.cold.saidToWaitAt < Number.POSITIVE_INFINITY ||
    work.requests.some(({ delivery }) => delivery && delivery.state !== "held" && !delivery.flagged);
  const polled = entry.messages.length;
  entry.polledAt = clockMs();
  try {
    const reply = await ctx.peer(work.era!).get(taskRef(ctx, entry), {
      ...callOptions(entry, POLL_DEADLINE_MS),
      signal: ctx.leaving,
      ...(!mustParse && entry.fingerprint !== undefined && { fingerprint: entry.fingerprint }),
    });
    ctx.answered(performance.now() - entry.polledAt);
    if (entry.live) ctx.sessions.answered(entry.live);
    if (entry.cold.notFoundAt !== null) setCold(entry, { notFoundAt: null });
    entry.replySize = reply.size;
    entry.checkedAt = clockMs();
    if (isRunning(work.state) && learnFromBeing(ctx, entry))
      await fencedTransaction(ctx, entry, (tx) => dropTimeLimit(ctx.organizationId, tx, entry.id));
    const changed = reply.task !== null && (await applyRemote(ctx, entry, reply.task));
    // Set only after the write, because unwritten news must not count as seen. Equal text is not copied.
    if (reply.fingerprint !== entry.fingerprint) entry.fingerprint = reply.fingerprint;
    entry.unchangedPolls = changed ? 0 : entry.unchangedPolls + 1;
    (changed ? changedPolls : unchangedPolls).inc();
    // Messages of a poll that changed nothing are dropped.
    if (!changed) keepMessages(entry, polled);
    else if (work.traceparent !== null)
      noteSpan("task.changed", { since: entry.polledAt, ...spanOf(ctx, entry) });
    return reply.task;
  } catch (error) {
    polls.inc({ result: resultOf(error) });
    if (!(error instanceof PeerError)) throw error;
    if (error.code === "session_gone" && work.era === "2025-11-25") {
      ctx.wake(entry.id, await sessionGone(ctx, entry));
      return null;
    }
    if (error.code === "task_not_found") return gone(ctx, entry);
    throw error;
  }
}

function resultOf(error: unknown): string {
  const code = error instanceof PeerError ? error.code : null;
  return code === "session_gone" || code === "task_not_found" ? code : "failed";
}

/** Ends a task after a second "not found": as expired if its ttl is over, else as lost. */
async function gone(ctx: WatcherContext, entry: WatchedTask): Promise<null> {
  const now = performance.now();
  const notFoundAt = entry.cold.notFoundAt ?? now;
  setCold(entry, { notFoundAt });
  if (hasEnded(entry.work.state) || now - notFoundAt >= NOT_FOUND_CONFIRM_MS) {
    if (await returnToFormer(ctx, entry)) {
      ctx.wake(entry.id, 0);
      return null;
    }
    const overForMs = ttlOverForMs(entry);
    const isOver = overForMs !== null && overForMs >= 0;
    if (isOver) learnFromGone(ctx, entry, overForMs);
    const state = isOver ? "expired" : "lost";
    const message =
      state === "lost" ? "The server does not know the task any more." : "The task's time ran out.";
    if (hasEnded(entry.work.state)) await applyRemote(ctx, entry, missingRemote(entry));
    else await end(ctx, entry, { state, error: { code: state, message } });
  } else ctx.wake(entry.id, NOT_FOUND_CONFIRM_MS);
  return null;
}

/** A stand-in report for a task that ended here and is unknown to the server. */
function missingRemote(entry: WatchedTask): RemoteTask {
  return {
    taskId: entry.handle ?? "",
    status: "cancelled",
    statusMessage: null,
    createdAt: null,
    lastUpdatedAt: null,
    ttlMs: null,
    pollIntervalMs: null,
    questions: [],
  };
}

/** Sends the cancel or the due answers after a poll. Returns the pause in ms, or null if nothing was sent. */
async function act(ctx: WatcherContext, entry: WatchedTask, remote: RemoteTask): Promise<number | null> {
  const { work } = entry;
  if (hasEnded(work.state)) return null;
  if (work.cancelRequested) {
    const sending = work.requests.some(({ delivery }) => delivery?.state === "sending");
    if (work.cancelSent || sending) return null;
    await ctx.mayChange();
    if (ctx.paused) return 0;
    try {
      await inSpan("task.cancel", spanOf(ctx, entry), () =>
        ctx.peer(work.era!).cancel(taskRef(ctx, entry), callOptions(entry, CALL_DEADLINE_MS)),
      );
    } catch (error) {
      // A refused cancel means that the task has ended, which the next poll shows, or can't be cancelled.
      const isFinal =
        error instanceof PeerError &&
        (isRefusal(error) || (error.code === "bad_reply" && entry.failures >= MAX_BROKEN_CANCELS));
      if (!isFinal) throw error;
    }
    await retryUntilStored(ctx, () =>
      fencedTransaction(ctx, entry, (tx) => markCancelSent(ctx.organizationId, tx, entry.id)),
    );
    entry.fingerprint = undefined;
    return 0;
  }
  const due = dueDeliveries(entry);
  let pause: number | null = null;
  for (const request of due) {
    const next = await deliver(ctx, entry, request, remote);
    pause = Math.min(pause ?? next, next);
  }
  const silent = work.requests.some(
    ({ delivery }) => delivery?.state === "accepted" && (delivery.pollsSinceAccepted > 0 || delivery.flagged),
  );
  // 2025-11-25: the server may repeat its question, or ask another one with the same status.
  if (silent && work.era === "2025-11-25") await requestQuestion(ctx, entry, performance.now());
  return pause;
}

/** Returns whether a retry would be refused again. */
function isRefusal({ code }: PeerError): boolean {
  return code === "rejected" || code === "not_supported";
}

function nextPause(ctx: WatcherContext, entry: WatchedTask): number {
  const waitsForCancel = entry.work.cancelSent && !hasEnded(entry.work.state);
  const unchangedPolls = waitsForCancel ? 0 : entry.unchangedPolls;
  const wanted = pollDelay({ ...entry.work, unchangedPolls, replySize: entry.replySize });
  const pause = Math.max(wanted, Math.ceil(ctx.leastPauseMs()));
  const turns = entry.work.requests.map(({ delivery }) => turnOf(delivery)).filter((ms) => ms > 0);
  const next = Math.ceil(Math.min(pause, ...turns.map((ms) => ms + 20)));
  if (turns.length > 0) entry.stale = true; // due times are relative to the last load
  entry.nextCheckAt = clockMs() + next;
  // A pace that changed by less than an eighth is not worth a write.
  if (entry.pace === 0 || Math.abs(next - entry.pace) > entry.pace / 8) {
    entry.pace = next;
    entry.timesChanged = true;
  }
  return next;
}
