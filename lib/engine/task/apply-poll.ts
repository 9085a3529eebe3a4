/** Applies a server's report on a task to the database. */

import type { Tx } from "../../base/db/db.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { noteServerState, recordStatus, type StatusChange } from "../../lifecycle/running-task-writes.ts";
import { questionHash } from "../../mcp/forms/question-hash.ts";
import type { RemoteTask, TaskResult } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { capturing } from "../../requests/capture/capture-question.ts";
import { carryOutVerdict } from "../../requests/capture/close-request.ts";
import { GONE_CONFIRM_MS, REPEAT_AFTER_MS } from "../../requests/deliveries/judge-delivery.ts";
import { hasEnded } from "../../tasks/task-status.ts";
import { leaveBehind } from "../sessions/sessions.ts";
import {
  CANCEL_GRACE_MS,
  CAPTURED_TOGETHER,
  CHOICE_REPLY_MS,
  MINOR_STATUS_MS,
  MISSING_RESULTS,
  POLL_DEADLINE_MS,
  WATCH_CANCELLED_MS,
} from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import { endWatched, fencedTransaction } from "../watcher/fenced-writes.ts";
import { endingOf, learnFromEnd, learnFromPlan, TraitUpdates, unansweredMs } from "../watcher/learning.ts";
import { clockMs, setCold, type WatchedTask } from "../watcher/watched-task.ts";
import {
  differByNumbers,
  isEmpty,
  isStatusOnly,
  judgeKeyed,
  judgeUnkeyed,
  type Memory,
  type Plan,
} from "./judge-poll.ts";
import { answerCalls, peerOf } from "./peer-of.ts";
import { taskRef } from "./task-secrets.ts";

/** Applies a poll's report. Returns true if anything was written. */
export async function applyRemote(
  ctx: WatcherContext,
  task: WatchedTask,
  remote: RemoteTask,
): Promise<boolean> {
  if (hasEnded(task.work.state)) return noteEnded(ctx, task, remote);
  if (remote.status !== "working" && remote.status !== "input_required") return applyEnd(ctx, task, remote);

  const { work } = task;
  if (isCancelOver(task)) {
    // The server accepted the cancel but continues, so the task is cancelled here, with the server's state
    // noted.
    await endWatched(ctx, task, {
      state: "cancelled",
      serverState: remote.status,
      watchForMs: WATCH_CANCELLED_MS,
    });
    return true;
  }
  const isSending = work.requests.some((request) => request.delivery?.state === "sending");
  const pollsInSending = isSending ? task.cold.pollsInSending + 1 : 0;
  setCold(task, { pollsInSending });
  const now = clockMs();
  const memory: Memory = {
    pollsInSending,
    elapsedMs: now - task.loadedAt,
    missingForMs: (id) => now - (task.cold.missing.get(id) ?? now),
    hadOthers: now < task.cold.answerSettledAt + REPEAT_AFTER_MS,
    callOf: await answerCalls(ctx, work),
  };
  const plan =
    work.era === "2026-07-28"
      ? judgeKeyed(work, remote, (question) => questionHash({ taskId: task.id, ...question }), memory)
      : judgeUnkeyed(work, remote, memory);
  noteMissing(ctx, task, plan.missing, now);
  const minorStatus = isMinor(task, remote, plan) ? statusChangeOf(remote, remote.status) : null;
  const isTooSoon = minorStatus !== null && clockMs() < task.minorStatusAt + MINOR_STATUS_MS;
  setCold(task, { minorStatus: isTooSoon ? minorStatus : null });
  if (isEmpty(plan) || isTooSoon) return false;
  task.minorStatusAt = clockMs();
  const lessons = new TraitUpdates(ctx);
  learnFromPlan(lessons, task, plan);
  await carryOutPlan(ctx, task, remote, remote.status, plan, lessons);
  lessons.learn(ctx);
  return true;
}

/** Whether the server had enough time to obey the cancel. For a recipe, adds the time of the call that cancels. */
function isCancelOver({ work, loadedAt }: WatchedTask): boolean {
  const { cancelSentAgoMs, recipeVersion } = work;
  if (cancelSentAgoMs === null) return false;
  const graceMs = CANCEL_GRACE_MS + (recipeVersion === null ? 0 : CHOICE_REPLY_MS);
  return cancelSentAgoMs + clockMs() - loadedAt > graceMs;
}

/** Whether the server's state is still noted, of a task that was cancelled here. */
function isStillWatched({ work, loadedAt }: WatchedTask): boolean {
  return (work.watchEndsInMs ?? 0) > clockMs() - loadedAt;
}

/** Whether the time for a cancel, or for what is noted after it, is over: then a report counts also where nothing in it is new. */
export function isTimeOver(task: WatchedTask): boolean {
  return hasEnded(task.work.state) ? !isStillWatched(task) : isCancelOver(task);
}

/**
 * Remembers questions missing from this poll, and schedules another poll that skips the fingerprint check.
 */
function noteMissing(ctx: WatcherContext, task: WatchedTask, ids: string[], now: number): void {
  const before = task.cold.missing;
  if (ids.length === 0 && before.size === 0) return;
  setCold(task, { missing: new Map(ids.map((id) => [id, before.get(id) ?? now])) });
  if (ids.length > 0) ctx.wake(task.id, GONE_CONFIRM_MS);
}

/** Returns whether only numbers in the message changed, which is not stored at every poll. */
function isMinor(task: WatchedTask, remote: RemoteTask, plan: Plan): boolean {
  const { state, statusMessage } = task.work;
  return (
    isStatusOnly(plan) && state === remote.status && differByNumbers(statusMessage, remote.statusMessage)
  );
}

function statusChangeOf(
  { statusMessage, isUnknown = false, ttlMs, pollIntervalMs }: RemoteTask,
  state: StatusChange["state"],
): StatusChange {
  return { state, statusMessage, isUnknown, ttlMs, pollIntervalMs };
}

async function carryOutPlan(
  ctx: WatcherContext,
  task: WatchedTask,
  remote: RemoteTask,
  state: "working" | "input_required",
  plan: Plan,
  lessons: TraitUpdates,
): Promise<void> {
  await fencedTransaction(ctx, task, async (tx) => {
    const events: NewEvent[] = [];
    for (const { request, verdict } of plan.verdicts) {
      const ending =
        verdict === "undeliverable" ? OUTCOME_UNKNOWN : endingOf(lessons, unansweredMs(task, request));
      events.push(...(await carryOutVerdict(tx, task.id, request, verdict, ending)));
    }
    events.push(...(await captureAll(tx, task.id, plan.capture.slice(0, CAPTURED_TOGETHER))));
    if (plan.status) await recordStatus(tx, task.id, statusChangeOf(remote, state));
    await appendEvents(tx, events);
  });
  // If this process ends meanwhile, the next poll shows the others.
  for (let first = CAPTURED_TOGETHER; first < plan.capture.length; first += CAPTURED_TOGETHER) {
    const some = plan.capture.slice(first, first + CAPTURED_TOGETHER);
    await fencedTransaction(ctx, task, async (tx) => appendEvents(tx, await captureAll(tx, task.id, some)));
  }
}

async function captureAll(tx: Tx, taskId: string, asked: Plan["capture"]): Promise<NewEvent[]> {
  const capture = capturing(tx, taskId);
  const events: NewEvent[] = [];
  for (const { question, key } of asked)
    events.push(...(await capture({ question, key, rpc: null, lifetimeMs: null })));
  return events;
}

/** A call that must not be made twice may have been made. While its server still asks, a person is asked again. */
const OUTCOME_UNKNOWN = { state: "withdrawn", reason: "outcome_unknown" } as const;

/** Ends the task as the server reports: fetches the result first, then stores everything at once. */
async function applyEnd(ctx: WatcherContext, task: WatchedTask, remote: RemoteTask): Promise<boolean> {
  const state = remote.status as "completed" | "failed" | "cancelled";
  const base = { state, statusMessage: remote.statusMessage };
  if (state === "cancelled") {
    await endWatched(ctx, task, base);
    return true;
  }
  setCold(task, { endReported: true });
  const outcome = await fetchResult(ctx, task, remote);
  const lessons = new TraitUpdates(ctx);
  learnFromEnd(lessons, task, remote, outcome);
  const missing = { code: "result_missing", message: "The server did not hand over the result." };
  await endWatched(
    ctx,
    task,
    !outcome
      ? { ...base, error: missing }
      : outcome.kind === "result"
        ? {
            ...base,
            result: outcome.result,
            error: state === "failed" ? failure(remote.statusMessage) : null,
          }
        : {
            ...base,
            error: {
              code: "server_error",
              message: errorText(outcome.error) ?? "The server gave no reason.",
            },
          },
  );
  lessons.learn(ctx);
  return true;
}

/** Returns the result, or null if the server claims to have one but repeatedly fails to return it. */
async function fetchResult(
  ctx: WatcherContext,
  task: WatchedTask,
  remote: RemoteTask,
): Promise<TaskResult | null> {
  const peer = await peerOf(ctx, task);
  try {
    const outcome = await peer.result(taskRef(ctx, task), remote, {
      ...callOptions(task, POLL_DEADLINE_MS),
      signal: ctx.leaving,
    });
    // A completed task has a result, so an error here is a server failure that the next try may not meet.
    const broke = outcome.kind === "error" && remote.status === "completed";
    const { missingResults } = task.cold;
    if (broke) setCold(task, { missingResults: missingResults + 1 });
    if (broke && missingResults < MISSING_RESULTS)
      throw new PeerError("bad_reply", "yes", "The server broke down over the result");
    return outcome;
  } catch (error) {
    if (!(error instanceof PeerError) || !NOT_GIVEN.has(error.code)) throw error;
    const missingResults = task.cold.missingResults + 1;
    setCold(task, { missingResults });
    if (missingResults < MISSING_RESULTS) throw error;
    return null;
  }
}

const NOT_GIVEN = new Set(["not_ready", "task_not_found", "not_supported", "bad_reply", "too_large"]);

async function noteEnded(ctx: WatcherContext, task: WatchedTask, remote: RemoteTask): Promise<boolean> {
  const goesOn = remote.status === "working" || remote.status === "input_required";
  const watching = isStillWatched(task);
  if (goesOn && watching && task.work.serverState === remote.status) return false;
  if (goesOn && !watching) leaveBehind(task);
  await fencedTransaction(ctx, task, (tx) => noteServerState(tx, task.id, remote.status, goesOn));
  return true;
}

function failure(message: string | null) {
  return { code: "task_failed", message: message ?? "The task failed." };
}

/** The reason in an error: a JSON-RPC error's message, or whatever the server wrote in its place. */
function errorText(error: unknown): string | null {
  const message = (error as { message?: unknown } | null | undefined)?.message ?? error ?? "";
  const words = typeof message === "string" ? message : JSON.stringify(message);
  return words.trim().slice(0, 2_000) || null;
}
