/** One step of one task: polls, stores, acts. */

import type { Tx } from "../../base/db/db.ts";
import { inScope } from "../../base/process/scope.ts";
import { inSpan, noteSpan } from "../../base/tracing/span.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { polls } from "../../history/metrics/engine.ts";
import { keptTask, type RequestWork, type TaskWork } from "../../lifecycle/engine-task-reads.ts";
import {
  markCancelSent,
  markCancelUnsent,
  recordProgress,
  recordStatus,
} from "../../lifecycle/running-task-writes.ts";
import { dropTimeLimit } from "../../lifecycle/time-limit.ts";
import { STATUS_CHARACTERS } from "../../mcp/limits.ts";
import { PeerError, type RemoteTask } from "../../mcp/peer.ts";
import { closeRequest } from "../../requests/capture/settle.ts";
import { releaseHeld } from "../../requests/deliveries/delivery-writes.ts";
import { questionsPastTtl } from "../../requests/elicitation-tasks/elicitation-task-reads.ts";
import { RecipeFailure } from "../../servers/recipes/peer.ts";
import { hasEnded, isRunning } from "../../tasks/task-status.ts";
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
  CHOICE_REPLY_MS,
  MAX_BROKEN_CANCELS,
  MAX_TIMER_MS,
  NOT_FOUND_CONFIRM_MS,
  POLL_DEADLINE_MS,
  PROGRESS_MS,
  SESSION_WAIT_MS,
} from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import {
  endWatched,
  fencedBeginning,
  fencedTransaction,
  retryUntilStored,
} from "../watcher/fenced-writes.ts";
import { learnFromGone, learnFromOutliving, ttlOverForMs } from "../watcher/learning.ts";
import { pollDelay } from "../watcher/poll-schedule.ts";
import { spanOf } from "../watcher/traced-peer.ts";
import type { OpenCall } from "../watcher/watched-task.ts";
import {
  clockMs,
  isStale,
  keepMessages,
  markStale,
  setCalls,
  setCold,
  type WatchedTask,
} from "../watcher/watched-task.ts";
import { applyRemote, isCancelOver } from "./apply-poll.ts";
import { storeCallOutcome } from "./call-outcome.ts";
import { type Begun, beginUnread, deliver, dueDeliveries, sendBegun, turnsOf } from "./deliver.ts";
import { stepRound } from "./multi-round-trip.ts";
import { stepOpenCall, storeIds } from "./open-call.ts";
import { isCancelSentOnce, peerOf } from "./peer-of.ts";
import { wasNotRun } from "./send-call.ts";
import { markLongRunning, resolveStart, start, startUnread } from "./start.ts";
import { isRound } from "./store-round.ts";
import { handleOf, restoreSession, taskRef } from "./task-secrets.ts";

/**
 * Takes one step, in the log scope of the call that started the task. Returns the pause until the next step
 * in ms, or null if the task needs no more steps.
 */
export function step(ctx: WatcherContext, task: WatchedTask): Promise<number | null> {
  return inScope({ requestId: task.work.requestId, trace: null }, () => takeStep(ctx, task));
}

async function takeStep(ctx: WatcherContext, task: WatchedTask): Promise<number | null> {
  // Only the database's clock knows how long ago a cancel, or an answer of unknown outcome, was sent.
  const { cancelSent, requests } = task.work;
  if (cancelSent || requests.some(({ delivery }) => delivery?.state === "sending")) markStale(task);
  const pause = task.work.unread ? await startUnread(ctx, task) : null;
  if (pause !== null) return pause;
  const isFirstPolled = isStale(task) && mayPollUnread(task);
  if (!isFirstPolled && isStale(task) && !(await reload(ctx, task))) return finish(ctx, task);
  if (task.work.state === "queued") return untilStart(task) ?? start(ctx, task);
  if (task.work.state === "starting" && task.calls.call) return awaitReply(ctx, task, task.calls.call);
  if (task.work.state === "starting") return resolveStart(ctx, task);

  restoreSession(ctx, task);
  if (task.work.requests.some(({ delivery }) => delivery?.state === "held" && delivery.dueInMs <= 0))
    await fencedTransaction(ctx, task, (tx) => releaseHeld(tx, task.id));
  if (task.work.requests.some((request) => isOver(task, request))) await expireQuestions(ctx, task);
  if (!isFirstPolled && isStale(task) && !(await reload(ctx, task))) return finish(ctx, task);

  if (isRunning(task.work.state)) await storeProgress(ctx, task);
  if (!task.work.durable && !hasEnded(task.work.state)) return stepOpenCall(ctx, task);
  if (isRound(task.work)) return stepRound(ctx, task);
  if (!(await tendMemory(ctx, task))) return SESSION_WAIT_MS;
  const { remote, begun } = await poll(ctx, task);
  if (begun) return sendBegun(ctx, task, begun);
  if (isStale(task) && !(await reload(ctx, task))) return finish(ctx, task);
  if (remote) {
    const pause = await act(ctx, task, remote);
    if (pause !== null) return pause;
  }
  await tendStreams(ctx, task, performance.now());
  return nextPause(ctx, task);
}

/** Returns whether the ttl of an open question's task of ours is over. */
function isOver({ loadedAt }: WatchedTask, request: RequestWork): boolean {
  const endsInMs = keptTask(request)?.endsInMs ?? null;
  return request.state === "open" && endsInMs !== null && endsInMs <= clockMs() - loadedAt;
}

/** Ends the open questions whose tasks of ours have outlived their ttl: the server need not look for an answer any more. */
function expireQuestions(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  return fencedTransaction(ctx, task, async (tx) => {
    const events: NewEvent[] = [];
    for (const id of await questionsPastTtl(tx, task.id))
      events.push(...(await closeRequest(tx, task.id, id, "expired", "question_ttl")));
    await appendEvents(tx, events);
  });
}

/**
 * Whether a task that waits for answers, and for which a hint came, is polled before it is read: the poll comes before the answer
 * anyway, and then one transaction reads the task and commits that the answer is about to be sent.
 */
function mayPollUnread({ work, cold, asked, calls }: WatchedTask): boolean {
  if (work.era !== "2026-07-28" || work.state !== "input_required" || !work.durable || calls.call)
    return false;
  if (work.sealedHandle === null || cold.written?.asked === asked) return false;
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

/** Handles a call whose reply, a handle, is late. */
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

/** Stores progress received by notifications, at most once per `PROGRESS_MS`. */
export async function storeProgress(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  const { progress, progressAt } = task.cold;
  if (!progress || performance.now() < progressAt + PROGRESS_MS) return;
  setCold(task, { progress: null, progressAt: performance.now() });
  await ctx.transaction((tx) => recordProgress(tx, task.id, progress));
}

export async function reload(ctx: WatcherContext, task: WatchedTask): Promise<boolean> {
  const { work, at } = await newestWork(ctx, task);
  if (!work) return false;
  const was = task.work;
  const moved = work.state !== was.state || work.statusMessage !== was.statusMessage;
  if (
    moved ||
    work.requests.length !== was.requests.length ||
    work.refreshRequestedAt !== was.refreshRequestedAt
  ) {
    task.unchangedPolls = 0;
    setCold(task, { resultStreamAgainAt: 0, unasked: 0 });
  }
  task.work = work;
  task.loadedAt = at;
  if (
    work.state === "input_required" &&
    was.requests.some((request) => isAnswered(request) && !isAmong(request, work))
  )
    setCold(task, { answerSettledAt: clockMs() });
  // The transaction just read has settled the call.
  if (task.calls.call && !awaits(work, task.calls.call)) {
    task.calls.call.close();
    setCalls(task, { call: null });
  }
  return true;
}

/** Returns what the task's last write has read, if nothing may have changed since; else reads. */
async function newestWork(
  ctx: WatcherContext,
  task: WatchedTask,
): Promise<{ work: TaskWork | null; at: number }> {
  const { asked } = task;
  const { written } = task.cold;
  if (written) setCold(task, { written: null });
  task.read = asked;
  if (written?.asked === asked) return written;
  return { work: await ctx.load(task.id), at: clockMs() };
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
async function finish(ctx: WatcherContext, task: WatchedTask): Promise<null> {
  await ctx.settleTasks(task);
  if (task.work.state === "start_unknown") dropStreams(ctx, task);
  else await leaveSession(ctx, task);
  return null;
}

const unchangedPolls = polls.labels("unchanged");
const changedPolls = polls.labels("changed");

interface Polled {
  /** Null: the task is unchanged or gone, or needs another look. */
  remote: RemoteTask | null;
  /** The answer to send now. */
  begun: Begun | null;
}

const NO_NEWS: Polled = { remote: null, begun: null };

/** Polls the task, and reads it if that is still to be done. */
async function poll(ctx: WatcherContext, task: WatchedTask): Promise<Polled> {
  const { work } = task;
  const mustParse =
    isStale(task) ||
    (work.cancelRequested && !work.cancelSent) ||
    isCancelOver(work) ||
    task.cold.missing.size > 0 ||
    work.requests.some(({ delivery }) => delivery && delivery.state !== "held" && !delivery.flagged);
  const polled = task.messages.length;
  task.polledAt = clockMs();
  try {
    const peer = await peerOf(ctx, task);
    const reply = await peer.get(taskRef(ctx, task), {
      ...callOptions(task, POLL_DEADLINE_MS),
      signal: ctx.leaving,
      ...(!mustParse && task.fingerprint !== undefined && { fingerprint: task.fingerprint }),
    });
    ctx.answered(performance.now() - task.polledAt);
    if (task.session) ctx.sessions.answered(task.session);
    if (task.cold.notFoundAt !== null) setCold(task, { notFoundAt: null });
    task.replySize = reply.size;
    task.checkedAt = clockMs();
    const unknown = reply.task ? unknownStatus(reply.task) : null;
    if (unknown !== null) return noteUnknown(ctx, task, unknown);
    if (isStale(task) && reply.task) {
      const begun = await beginAfterPoll(ctx, task, reply.task, polled);
      if (begun) return { remote: null, begun };
      // What it needs is not to be read, or another look tells why it can't be.
      if (!task.cold.written?.work || !(await reload(ctx, task))) return NO_NEWS;
    }
    if (isRunning(task.work.state) && learnFromOutliving(ctx, task))
      await fencedTransaction(ctx, task, (tx) => dropTimeLimit(tx, task.id));
    const changed = reply.task !== null && (await applyRemote(ctx, task, reply.task));
    // Set only after the write, because unwritten news must not count as seen. Equal text is not copied.
    if (reply.fingerprint !== task.fingerprint) task.fingerprint = reply.fingerprint;
    task.unchangedPolls = changed ? 0 : task.unchangedPolls + 1;
    (changed ? changedPolls : unchangedPolls).inc();
    // Messages of a poll that changed nothing are dropped.
    if (!changed) keepMessages(task, polled);
    else if (work.traceparent !== null)
      noteSpan("task.changed", { since: task.polledAt, ...spanOf(ctx, task) });
    return { remote: reply.task, begun: null };
  } catch (error) {
    polls.inc({ result: resultOf(error) });
    if (!(error instanceof PeerError)) throw error;
    if (error instanceof RecipeFailure) return noteUnknown(ctx, task, error.message);
    if (error.code === "session_gone" && work.era === "2025-11-25") {
      ctx.wake(task.id, await sessionGone(ctx, task));
      return NO_NEWS;
    }
    if (error.code !== "task_not_found") throw error;
    if (isStale(task) && !(await reload(ctx, task))) {
      markStale(task);
      return NO_NEWS;
    }
    await gone(ctx, task);
    return NO_NEWS;
  }
}

/** Returns the text to show for a status that neither MCP nor the recipe defines; null if it asks something. */
function unknownStatus({ isUnknown = false, questions, statusMessage }: RemoteTask): string | null {
  return isUnknown && questions.length === 0 ? (statusMessage ?? "") : null;
}

/**
 * Handles a report that Intray does not understand: an unknown status, a state that the recipe does not name, or a reply that
 * the recipe can't be applied to. Nothing is concluded from it: questions and answers stay as they are, and people read why.
 * A cancel is still sent.
 */
async function noteUnknown(ctx: WatcherContext, task: WatchedTask, message: string): Promise<Polled> {
  if (isStale(task) && !(await reload(ctx, task))) {
    markStale(task);
    return NO_NEWS;
  }
  const { work } = task;
  const statusMessage = message.slice(0, STATUS_CHARACTERS);
  // The words may be the server's: people read them at the task, and nobody in the log.
  ctx.log.info({ taskId: task.id }, "what a server reports of a task is unknown");
  task.fingerprint = undefined;
  task.unchangedPolls++;
  if (hasEnded(work.state) || work.cancelRequested) {
    const status = work.state === "input_required" ? work.state : "working";
    const remote: RemoteTask = { ...missingRemote(task), status, statusMessage, isUnknown: true };
    await applyRemote(ctx, task, remote);
    return { remote, begun: null };
  }
  if ((work.isUnknown && work.statusMessage === statusMessage) || !isRunning(work.state)) return NO_NEWS;
  const { state, ttlMs, pollIntervalMs } = work;
  const change = { state, statusMessage, isUnknown: true, ttlMs, pollIntervalMs };
  await fencedTransaction(ctx, task, (tx) => recordStatus(tx, task.id, change));
  return NO_NEWS;
}

/** As `beginUnread`. The messages of a poll that shows nothing new are dropped, as any others of that kind. */
async function beginAfterPoll(
  ctx: WatcherContext,
  task: WatchedTask,
  remote: RemoteTask,
  polled: number,
): Promise<Begun | null> {
  const messages = task.messages.slice(polled);
  keepMessages(task, polled);
  let begun: Begun | null = null;
  try {
    begun = await beginUnread(ctx, task, remote);
    if (begun) unchangedPolls.inc();
    return begun;
  } finally {
    if (!begun) task.messages = [...task.messages, ...messages];
  }
}

function resultOf(error: unknown): string {
  const code = error instanceof PeerError ? error.code : null;
  return code === "session_gone" || code === "task_not_found" ? code : "failed";
}

/** Ends a task after a second "not found": as expired if its ttl is over, else as lost. */
async function gone(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  const now = performance.now();
  const notFoundAt = task.cold.notFoundAt ?? now;
  setCold(task, { notFoundAt });
  if (hasEnded(task.work.state) || now - notFoundAt >= NOT_FOUND_CONFIRM_MS) {
    if (await returnToFormer(ctx, task)) {
      ctx.wake(task.id, 0);
      return;
    }
    const overForMs = ttlOverForMs(task);
    const isOver = overForMs !== null && overForMs >= 0;
    if (isOver) learnFromGone(ctx, task, overForMs);
    const state = isOver ? "expired" : "lost";
    const message =
      state === "lost" ? "The server does not know the task any more." : "The task's time ran out.";
    if (hasEnded(task.work.state)) await applyRemote(ctx, task, missingRemote(task));
    else await endWatched(ctx, task, { state, error: { code: state, message } });
  } else ctx.wake(task.id, NOT_FOUND_CONFIRM_MS);
}

/** A stand-in report for a task that ended here and is unknown to the server. */
function missingRemote(task: WatchedTask): RemoteTask {
  return {
    taskId: task.handle ?? "",
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

/**
 * Sends the cancel. One that must not be sent twice is committed before its first byte: if its reply is lost, or Intray is
 * killed over it, the polls that follow show what became of it, and after its grace the task is cancelled here, with the state
 * that the server is in. Returns the pause in ms.
 */
async function sendCancel(ctx: WatcherContext, task: WatchedTask): Promise<number> {
  const { work } = task;
  await ctx.mayChange();
  if (ctx.paused) return 0;
  const peer = await peerOf(ctx, task);
  const isOnce = await isCancelSentOnce(ctx, work);
  const mark = (tx: Tx) => markCancelSent(tx, task.id, isOnce);
  if (isOnce) {
    if (!(await fencedBeginning(ctx, task, async (tx) => ctx.mayBegin && mark(tx)))) return 0;
    await ctx.mayChange();
  }
  const options = {
    ...callOptions(task, CALL_DEADLINE_MS),
    // As of a choice: a tool does its work before it replies.
    ...(work.recipeVersion !== null && { replyWithinMs: CHOICE_REPLY_MS }),
  };
  try {
    await inSpan("task.cancel", spanOf(ctx, task), () => peer.cancel(taskRef(ctx, task), options));
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    if (isOnce && wasNotRun(error)) await fencedTransaction(ctx, task, (tx) => markCancelUnsent(tx, task.id));
    // A refused cancel means that the task has ended, which the next poll shows, or can't be cancelled.
    const isBroken = error.code === "bad_reply" || (work.recipeVersion !== null && !wasNotRun(error));
    const brokenCancels = task.cold.brokenCancels + (isBroken ? 1 : 0);
    setCold(task, { brokenCancels });
    if (!isRefusedAgain(error) && !(isBroken && brokenCancels > MAX_BROKEN_CANCELS)) throw error;
  }
  if (!isOnce) await retryUntilStored(ctx, () => fencedTransaction(ctx, task, mark));
  task.fingerprint = undefined;
  return 0;
}

/**
 * Whether polls have still to tell what became of an answer, so that a cancel waits for that. Those that are not understood
 * tell nothing: then it waits no longer than the answer's own call may take.
 */
function awaitsOutcome({ requests, recipeVersion }: TaskWork, { isUnknown }: RemoteTask): boolean {
  const callMs = recipeVersion === null ? CALL_DEADLINE_MS : CHOICE_REPLY_MS;
  return requests.some(
    ({ delivery }) => delivery?.state === "sending" && !(isUnknown && delivery.sentAgoMs > callMs),
  );
}

/** Returns whether a retry would be refused again. */
function isRefusedAgain({ code }: PeerError): boolean {
  return code === "rejected" || code === "not_supported";
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
  // A pace that changed by less than an eighth is not worth a write.
  if (task.pace === 0 || Math.abs(next - task.pace) > task.pace / 8) {
    task.pace = next;
    task.timesChanged = true;
  }
  return next;
}
