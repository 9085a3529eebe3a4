/** One step of one task: polls, stores, acts. */

import { inScope } from "../../base/process/scope.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { keptTask, type RequestWork } from "../../lifecycle/engine-task.ts";
import { recordProgress } from "../../lifecycle/running-task-writes.ts";
import type { RemoteTask } from "../../mcp/peer.ts";
import { MAX_TIMER_MS } from "../../mcp/wire/deadline.ts";
import { closeRequest } from "../../requests/capture/close-request.ts";
import { releaseHeld } from "../../requests/deliveries/delivery-writes.ts";
import { questionsPastTtl } from "../../requests/elicitation-tasks/elicitation-task-reads.ts";
import { hasEnded, isRunning } from "../../tasks/task-status.ts";
import { requestQuestion } from "../sessions/result-stream.ts";
import { dropStreams, joinSession, leaveSession } from "../sessions/session-moves.ts";
import { tendStreams } from "../sessions/streams.ts";
import { PROGRESS_MS, SESSION_WAIT_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { fencedTransaction } from "../watcher/fenced-writes.ts";
import { pollDelay } from "../watcher/poll-schedule.ts";
import type { OpenCall } from "../watcher/watched-task.ts";
import { clockMs, isStale, markStale, setCold, type WatchedTask } from "../watcher/watched-task.ts";
import { storeCallOutcome } from "./call-outcome.ts";
import { awaitsOutcome, sendCancel } from "./cancel.ts";
import { deliver, dueDeliveries, sendBegun, turnsOf } from "./deliver.ts";
import { markLongRunning } from "./make-call.ts";
import { stepRound } from "./multi-round-trip.ts";
import { stepOpenCall, storeIds } from "./open-call.ts";
import { poll } from "./poll.ts";
import { reload } from "./reload.ts";
import { resolveStart, start, startUnread } from "./start.ts";
import { isRound } from "./store-round.ts";
import { handleOf, restoreSession } from "./task-secrets.ts";

/**
 * Takes one step, in the log scope of the call that started the task. Returns the pause until the next step
 * in ms, or null if the task needs no more steps.
 */
export function step(ctx: WatcherContext, task: WatchedTask): Promise<number | null> {
  return inScope({ requestId: task.work.requestId, trace: null }, () => takeStep(ctx, task));
}

async function takeStep(ctx: WatcherContext, task: WatchedTask): Promise<number | null> {
  // Only the database's clock knows when an answer of unknown outcome was sent. So the task is read again.
  if (task.work.requests.some(({ delivery }) => delivery?.state === "sending")) markStale(task);
  const pause = task.work.unread ? await startUnread(ctx, task) : null;
  if (pause !== null) return pause;
  const isFirstPolled = isStale(task) && mayPollUnread(task);
  if (!isFirstPolled && !(await reload(ctx, task))) return finish(ctx, task);
  if (task.work.state === "queued") return untilStart(task) ?? start(ctx, task);
  if (task.work.state === "starting" && task.calls.call) return awaitReply(ctx, task, task.calls.call);
  if (task.work.state === "starting") return resolveStart(ctx, task);

  restoreSession(ctx, task);
  await endHolds(ctx, task);
  if (task.work.requests.some((request) => isOver(task, request))) await expireQuestions(ctx, task);
  if (!isFirstPolled && !(await reload(ctx, task))) return finish(ctx, task);

  if (isRunning(task.work.state)) await storeProgress(ctx, task);
  if (!task.work.durable && !hasEnded(task.work.state)) return stepOpenCall(ctx, task);
  if (isRound(task.work)) return stepRound(ctx, task);
  if (!(await tendMemory(ctx, task))) return SESSION_WAIT_MS;
  const { remote, begun } = await poll(ctx, task);
  if (begun) return sendBegun(ctx, task, begun);
  if (!(await reload(ctx, task))) return finish(ctx, task);
  if (remote) {
    const pause = await act(ctx, task, remote);
    if (pause !== null) return pause;
  }
  await tendStreams(ctx, task, performance.now());
  return nextPause(ctx, task);
}

/** Returns whether the ttl of an open question's elicitation task is over. */
function isOver({ loadedAt }: WatchedTask, request: RequestWork): boolean {
  const endsInMs = keptTask(request)?.endsInMs ?? null;
  return request.state === "open" && endsInMs !== null && endsInMs <= clockMs() - loadedAt;
}

/** Ends open questions whose elicitation task is past its ttl. The server then no longer looks for an answer. */
function expireQuestions(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  return fencedTransaction(ctx, task, async (tx) => {
    const events: NewEvent[] = [];
    for (const id of await questionsPastTtl(tx, task.id))
      events.push(...(await closeRequest(tx, task.id, id, "expired", "question_ttl")));
    await appendEvents(tx, events);
  });
}

/**
 * Whether to poll this task before reading it: it waits for answers, and a hint came. The answer needs a poll first
 * anyway. In this order one transaction reads the task and commits that the answer is about to be sent.
 */
function mayPollUnread({ work, cold, hints, calls }: WatchedTask): boolean {
  if (work.era !== "2026-07-28" || work.state !== "input_required" || !work.durable || calls.call)
    return false;
  if (work.sealedHandle === null || cold.written?.hints === hints) return false;
  const { requests, cancelRequested } = work;
  return !cancelRequested && requests.length > 0 && requests.every(({ delivery }) => delivery === null);
}

/** Returns the pause before a delayed attempt, by the database's clock; null if the attempt is due. */
function untilStart(task: WatchedTask): number | null {
  const { startsInMs } = task.work;
  if (startsInMs === null || startsInMs <= 0) return null;
  markStale(task);
  return Math.min(Math.ceil(startsInMs), MAX_TIMER_MS);
}

/** Handles a call whose reply (the task's handle) has not come in time. */
async function awaitReply(ctx: WatcherContext, task: WatchedTask, call: OpenCall): Promise<number> {
  return call.result ? storeCallOutcome(ctx, task, call) : markLongRunning(ctx, task, call.attempt);
}

/**
 * Restores in-memory state of a running task, and joins a session if the task has none. Returns false if no
 * session is free.
 */
async function tendMemory(ctx: WatcherContext, task: WatchedTask): Promise<boolean> {
  handleOf(ctx, task);
  if (task.work.era === "2025-11-25" && !task.session) {
    if (!(await joinSession(ctx, task))) return false;
    task.idsChanged = true;
  }
  if (task.idsChanged) await storeIds(ctx, task);
  return true;
}

/** Ends the holds that are over, so that their answers may be sent. */
export async function endHolds(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  if (task.work.requests.some(({ delivery }) => delivery?.state === "held" && delivery.dueInMs <= 0))
    await fencedTransaction(ctx, task, (tx) => releaseHeld(tx, task.id));
}

/** Stores progress received by notifications, at most once per `PROGRESS_MS`. */
export async function storeProgress(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  const { progress, progressAt } = task.cold;
  if (!progress || performance.now() < progressAt + PROGRESS_MS) return;
  setCold(task, { progress: null, progressAt: performance.now() });
  await ctx.transaction((tx) => recordProgress(tx, task.id, progress));
}

/** Drops the streams of an ended task. Closes its session if no other task uses the session. */
async function finish(ctx: WatcherContext, task: WatchedTask): Promise<null> {
  await ctx.settleTasks(task);
  if (task.work.state === "start_unknown") dropStreams(ctx, task);
  else await leaveSession(ctx, task);
  return null;
}

/** Sends the cancel or the due answers after a poll. Returns the pause in ms, or null if nothing was sent. */
async function act(ctx: WatcherContext, task: WatchedTask, remote: RemoteTask): Promise<number | null> {
  const { work } = task;
  if (hasEnded(work.state)) return null;
  if (work.cancelRequested) {
    return work.cancelSent || awaitsOutcome(work, remote) ? null : sendCancel(ctx, task);
  }
  const due = dueDeliveries(task);
  let pause: number | null = null;
  for (const request of due) {
    const next = await deliver(ctx, task, request, remote);
    pause = Math.min(pause ?? next, next);
  }
  const silent = work.requests.some(
    ({ delivery }) => delivery?.state === "accepted" && (delivery.pollsSinceAccepted > 0 || delivery.flagged),
  );
  // 2025-11-25: the server may repeat its question, or ask another one with the same status.
  if (silent && work.era === "2025-11-25") await requestQuestion(ctx, task, performance.now());
  return pause;
}

function nextPause(ctx: WatcherContext, task: WatchedTask): number {
  const waitsForCancel = task.work.cancelRequested && !hasEnded(task.work.state);
  const unchangedPolls = waitsForCancel ? 0 : task.unchangedPolls;
  const wanted = pollDelay({ ...task.work, unchangedPolls, replySize: task.replySize });
  const pause = Math.max(wanted, Math.ceil(ctx.leastPauseMs()));
  const turns = turnsOf(task.work.requests);
  const next = Math.ceil(Math.min(pause, ...turns.map((ms) => ms + 20)));
  if (turns.length > 0) markStale(task); // due times are relative to the last load
  task.nextCheckAt = clockMs() + next;
  // A pause that changed by less than an eighth is not worth a write.
  if (task.pace === 0 || Math.abs(next - task.pace) > task.pace / 8) {
    task.pace = next;
    task.timesChanged = true;
  }
  return next;
}
