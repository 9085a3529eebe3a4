/**
 * Polls a task and applies the report: its news, a status that nobody knows, or that the task is gone. Begins to send the
 * answer that waited for the poll, where the task was not read before (`beginUnread()`).
 */
import { noteSpan } from "../../base/tracing/span.ts";
import { polls } from "../../history/metrics/engine.ts";
import { recordStatus } from "../../lifecycle/running-task-writes.ts";
import { dropTimeLimit } from "../../lifecycle/time-limit.ts";
import { STATUS_CHARACTERS } from "../../mcp/limits.ts";
import type { RemoteTask } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { RecipeFailure } from "../../servers/recipes/peer.ts";
import { hasEnded, isRunning } from "../../tasks/task-status.ts";
import { returnToFormer, sessionGone } from "../sessions/session-moves.ts";
import { NOT_FOUND_CONFIRM_MS, POLL_DEADLINE_MS } from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import { endWatched, fencedTransaction } from "../watcher/fenced-writes.ts";
import { learnFromGone, learnFromOutliving, ttlOverForMs } from "../watcher/learning.ts";
import { spanOf } from "../watcher/traced-peer.ts";
import {
  clockMs,
  isStale,
  keepMessages,
  markStale,
  setCold,
  type WatchedTask,
} from "../watcher/watched-task.ts";
import { applyRemote, isTimeOver } from "./apply-poll.ts";
import { type Begun, beginUnread } from "./deliver.ts";
import { peerOf } from "./peer-of.ts";
import { reload } from "./reload.ts";
import { taskRef } from "./task-secrets.ts";

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
export async function poll(ctx: WatcherContext, task: WatchedTask): Promise<Polled> {
  const { work } = task;
  const mustParse =
    isStale(task) ||
    (work.cancelRequested && !work.cancelSent) ||
    isTimeOver(task) ||
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
    if (isOlderThanQuestion(task, reply.task)) {
      ctx.wake(task.id, 0);
      return NO_NEWS;
    }
    const unknown = reply.task ? unknownStatus(reply.task) : null;
    if (unknown !== null) return noteUnknown(ctx, task, unknown);
    if (isStale(task) && reply.task) {
      // One transaction reads the task, sees that the report is no news, and commits that its answer is sent next.
      const begun = await beginAfterPoll(ctx, task, reply.task, polled);
      if (begun) return { remote: null, begun };
      // What it needs is not to be read, or another look tells why it can't be.
      if (!task.cold.written?.work || !(await reload(ctx, task))) return NO_NEWS;
    }
    if (isRunning(task.work.state) && learnFromOutliving(ctx, task))
      await fencedTransaction(ctx, task, (tx) => dropTimeLimit(tx, task.id));
    const changed = reply.task !== null && (await applyRemote(ctx, task, reply.task));
    noteReport(ctx, task, reply.task?.status ?? task.work.state);
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
    if (!(await reload(ctx, task))) {
      markStale(task);
      return NO_NEWS;
    }
    await gone(ctx, task);
    return NO_NEWS;
  }
}

/**
 * 2025-11-25: whether the reply says that the task goes on, and was asked for before the last question came in the session. It
 * says nothing about that question.
 */
function isOlderThanQuestion({ session, polledAt, work }: WatchedTask, remote: RemoteTask | null): boolean {
  if (!session || work.state !== "input_required" || remote?.status !== "working") return false;
  return ([...session.heard.values()].at(-1) ?? Number.NEGATIVE_INFINITY) >= polledAt;
}

/** Notes what a poll said, once that is stored: it helps to find out which task asked a question. */
function noteReport(ctx: WatcherContext, task: WatchedTask, status: string): void {
  if (!task.session || !ctx.hasUnattributed(task.session)) return;
  if (status === "working" || status === "input_required")
    setCold(task, { report: { at: task.polledAt, waits: status === "input_required" } });
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
  if (!(await reload(ctx, task))) {
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
      state === "lost" ? "The server does not know the task any more." : "The task’s time ran out.";
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
