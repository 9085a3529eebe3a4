/**
 * Writes of multi round trips: what a call's reply changes. Apart from multi-round-trip.ts, which makes the call and would
 * close an import circle: call -> outcome -> writes.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Tx } from "../../base/db/db.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { markAsking, markNotRetried } from "../../lifecycle/call-attempt-writes.ts";
import { endTask } from "../../lifecycle/end-task.ts";
import type { TaskWork } from "../../lifecycle/engine-task.ts";
import { OPEN_QUESTIONS } from "../../mcp/limits.ts";
import type { Question, StartOutcome } from "../../mcp/peer.ts";
import { capturing } from "../../requests/capture/capture-question.ts";
import { closeRequest, confirmRequest } from "../../requests/capture/close-request.ts";
import { columnsOf, type ShownColumns } from "../../requests/capture/insert-request.ts";
import { markAccepted, markUnsent } from "../../requests/deliveries/delivery-writes.ts";
import { CAPTURED_TOGETHER } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { fencedTransaction, idsOf } from "../watcher/fenced-writes.ts";
import { backoffDelay } from "../watcher/poll-schedule.ts";
import type { WatchedTask } from "../watcher/watched-task.ts";
import { sealRequestState } from "./task-secrets.ts";

/** Returns whether the task waits for answers while the server has no task for it yet. */
export function isRound(work: TaskWork): boolean {
  return work.state === "input_required" && work.sealedHandle === null && work.durable;
}

/**
 * Judges the questions of a long round before the transaction that stores them, each in a turn of its own. A round is stored as
 * one, and judging a hundred questions about large arguments could take longer than a transaction may.
 */
export async function judgeRound({ work }: WatchedTask, outcome: StartOutcome): Promise<Judged> {
  const judged: Judged = new Map();
  const questions = outcome.kind === "input_required" ? outcome.questions : [];
  const { id, tool, arguments: args, toolHints } = work;
  const isLong = questions.length > CAPTURED_TOGETHER && questions.length <= OPEN_QUESTIONS;
  if (args === null || !isLong) return judged;
  const asking = { id, tool, arguments: args, destructive: toolHints?.annotations?.destructiveHint };
  for (const question of questions) {
    judged.set(question, columnsOf(asking, question));
    await turn();
  }
  return judged;
}

type Judged = Map<Question, ShownColumns>;

/** Stores a round of questions. */
export async function storeRound(
  ctx: WatcherContext,
  tx: Tx,
  task: WatchedTask,
  attempt: string,
  round: Extract<StartOutcome, { kind: "input_required" }>,
  judged: Judged,
): Promise<void> {
  const sealed = sealRequestState(ctx, task.id, round.requestState);
  await markAsking(tx, task.id, attempt, sealed);
  const events: NewEvent[] = [];
  const capture = capturing(tx, task.id);
  for (const question of round.questions) {
    if (question.address.kind !== "key") continue;
    const captured = { question, key: question.address.key, rpc: null, lifetimeMs: null };
    events.push(...(await capture({ ...captured, shown: judged.get(question) })));
  }
  await appendEvents(tx, events);
}

/**
 * Confirms the answers that the call carried, because the server has replied. An answer on an open call was
 * posted separately, under a JSON-RPC id, so the reply does not prove its acceptance.
 */
export async function confirmTaken(tx: Tx, task: WatchedTask): Promise<void> {
  const events: NewEvent[] = [];
  for (const { id, delivery, asks } of task.work.requests) {
    if (delivery?.state !== "sending") continue;
    const cameWithTheCall = asks.some(({ key }) => key !== null);
    if (cameWithTheCall) await markAccepted(tx, idsOf(task, id, delivery.id), delivery.attempts);
    events.push(...(await confirmRequest(tx, task.id, id)));
  }
  await appendEvents(tx, events);
}

/** Makes answers wait for another try, because the call that carried them did not reach the server. */
export async function waitAgain(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
  why: { code: string; message: string },
  retryAfterMs: number | null,
): Promise<boolean> {
  return fencedTransaction(ctx, task, async (tx) => {
    if (!(await markNotRetried(tx, task.id, attempt, why))) return false;
    for (const { id, delivery } of task.work.requests) {
      if (delivery?.state !== "sending") continue;
      const inMs = retryAfterMs ?? backoffDelay(delivery.attempts);
      await markUnsent(tx, idsOf(task, id, delivery.id), why.code, inMs);
    }
    return true;
  });
}

/** Fails a task whose call was refused for good, and closes the answers that the call carried. */
export async function failCall(
  ctx: WatcherContext,
  task: WatchedTask,
  error: { code: string; message: string },
): Promise<void> {
  await fencedTransaction(ctx, task, async (tx) => {
    const events: NewEvent[] = [];
    for (const { id, delivery } of task.work.requests)
      if (delivery?.state === "sending")
        events.push(
          ...(await closeRequest(tx, task.id, id, "undeliverable", error.message, {
            notTaken: error.code === "rejected",
          })),
        );
    await endTask(tx, task.id, { state: "failed", error });
    await appendEvents(tx, events);
  });
}
