/** Stores what a stream brought as a task's questions, and withdraws questions that the server took back. */

import type { Tx } from "../../base/db/db.ts";
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { markHandled } from "../../mcp/stream-messages/stream-message-writes.ts";
import { retractAsk } from "../../requests/capture/ask-writes.ts";
import { capturing, hasRoom } from "../../requests/capture/capture-question.ts";
import { carryOutVerdict } from "../../requests/capture/close-request.ts";
import { judgeDelivery } from "../../requests/deliveries/judge-delivery.ts";
import {
  cancelElicitationTask,
  linkQuestion,
  lockUnlinked,
} from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { fencedTransaction } from "../watcher/fenced-writes.ts";
import { endingOf, learnFromQuestion, learnWithdrawn, TraitUpdates } from "../watcher/learning.ts";
import { resetSilence } from "./result-stream.ts";
import type { UnhandledMessage } from "./unhandled-message.ts";

/**
 * Stores the questions as the task's, in order of arrival, as long as the task has room for them. Returns those that are handled.
 * `sameElsewhere` returns the same question without a known task, which the server put on another stream.
 */
export async function storeQuestions(
  ctx: WatcherContext,
  taskId: string,
  questions: UnhandledMessage[],
  sameElsewhere: (one: UnhandledMessage, done: UnhandledMessage[]) => UnhandledMessage | null,
): Promise<UnhandledMessage[]> {
  const task = ctx.task(taskId);
  const done: UnhandledMessage[] = [];
  const work = async (tx: Tx) => {
    done.length = 0;
    const lessons = new TraitUpdates(ctx);
    const events: NewEvent[] = [];
    const capture = capturing(tx, taskId);
    for (const one of questions) {
      const { message } = one;
      const question = message.question!;
      if (!(await hasRoom(tx, taskId, question))) {
        one.waitsFor = taskId;
        break;
      }
      const isHandled = !(await markHandled(tx, message.id, taskId));
      const kept = message.elicitationTask?.id;
      if (isHandled || (kept !== undefined && !(await lockUnlinked(tx, kept)))) {
        done.push(one);
        continue;
      }
      const digest = message.sessionDigest;
      if (task) learnFromQuestion(lessons, task, question, digest.toString("hex"));
      events.push(
        ...(await capture({
          question,
          key: null,
          rpc: {
            sessionDigest: digest,
            rpcId: message.rpcId,
            messageId: message.id,
            replayed: message.replayed,
            elicitationTaskId: kept,
          },
          // An elicitation task lives as long as its ttl says.
          lifetimeMs: kept === undefined ? (lessons.known.questionLifetimeMs ?? null) : null,
        })),
      );
      if (kept !== undefined) await linkQuestion(tx, kept);
      done.push(one);
      const repeated = sameElsewhere(one, done);
      // As an elicitation task it is another way to the same question, and gets the answer as well.
      if (repeated?.message.elicitationTask) questions.push(repeated);
      else if (repeated && (await markHandled(tx, repeated.message.id, taskId))) done.push(repeated);
    }
    await appendEvents(tx, events);
    return lessons;
  };
  await write(ctx, taskId, work);
  return done;
}

/** Learns from questions that were stored as the task's, and has the task go on. */
export function noteAsked(ctx: WatcherContext, taskId: string, done: UnhandledMessage[]): void {
  const task = ctx.task(taskId);
  if (!task || done.length === 0) return;
  const isUnnamed = done.some(({ message }) => message.namedDigest === null);
  if (isUnnamed && task.handle !== null && ctx.traits.namesTask === undefined)
    ctx.learn({ namesTask: false });
  resetSilence(task);
  if (task.calls.call) task.calls.call.hasAsked = true;
  ctx.wake(taskId, 0);
}

/** Handles the server's withdrawal of a question, which it put by this ask. */
export async function withdrawQuestion(
  ctx: WatcherContext,
  { message }: UnhandledMessage,
  ask: { taskId: string; elicitationTaskId: string | null },
): Promise<void> {
  const { connectionId } = ctx;
  const { sessionDigest, rpcId } = message;
  const { taskId, elicitationTaskId } = ask;
  const work = async (tx: Tx) => {
    const lessons = new TraitUpdates(ctx);
    await markHandled(tx, message.id, taskId);
    const wasTask = elicitationTaskId !== null;
    if (wasTask) await cancelElicitationTask(tx, connectionId, elicitationTaskId);
    const way = wasTask ? { elicitationTaskId } : { sessionDigest, rpcId };
    const request = await retractAsk(tx, taskId, way);
    if (!request) return lessons;
    const verdict = judgeDelivery(request.delivery, { kind: "retracted" });
    // By the row, since the task in memory may not have the question yet, and would teach nothing.
    const ageMs = wasTask ? null : request.ageMs;
    if (verdict === "withdraw") learnWithdrawn(lessons, ageMs);
    const ending = endingOf(lessons, ageMs);
    const events = await carryOutVerdict(tx, taskId, request, verdict, ending);
    await appendEvents(tx, events);
    return lessons;
  };
  await write(ctx, taskId, work);
}

/** Writes about a task in a fenced transaction, and learns the traits that `work` returns. */
async function write(
  ctx: WatcherContext,
  taskId: string,
  work: (tx: Tx) => Promise<TraitUpdates>,
): Promise<void> {
  const task = ctx.task(taskId);
  const lessons = await (task ? fencedTransaction(ctx, task, work) : ctx.transaction(work, taskId));
  lessons.learn(ctx);
}
