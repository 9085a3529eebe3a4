/** Delivers answers. The delivery row is the truth, so every step can be repeated after a crash. */

import type { Tx } from "../../base/db/db.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import {
  type AskWork,
  type DeliveryWork,
  isSameQuestion,
  keptTask,
  type RequestWork,
  type TaskWork,
} from "../../lifecycle/engine-task.ts";
import { questionHash } from "../../mcp/forms/question-hash.ts";
import type { AnswerBody, AskAddress, RemoteTask } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { MAX_TIMER_MS } from "../../mcp/wire/deadline.ts";
import { askedMeanwhile } from "../../requests/capture/ask-writes.ts";
import { carryOutVerdict } from "../../requests/capture/close-request.ts";
import {
  markAccepted,
  markSending,
  markUnsent,
  markWaiting,
  type Rung,
} from "../../requests/deliveries/delivery-writes.ts";
import {
  judgeDelivery,
  type Observation,
  REPEAT_AFTER_MS,
} from "../../requests/deliveries/judge-delivery.ts";
import { completeElicitationTasks } from "../../requests/elicitation-tasks/elicitation-task-writes.ts";
import { isRunning } from "../../tasks/task-status.ts";
import { giveUpDropped, requestPendingQuestion, resetSilence } from "../sessions/result-stream.ts";
import { tryStandalone } from "../sessions/standalone-stream.ts";
import {
  AFTER_ANSWER_MS,
  CALL_DEADLINE_MS,
  CHOICE_REPLY_MS,
  MAX_BROKEN_ANSWERS,
  POLL_DEADLINE_MS,
  QUESTION_WAIT_MS,
  SEEN_LATELY_MS,
  UNASKED_LIMIT,
  UNASKED_LIMIT_WHERE_KNOWN,
} from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import {
  fencedBeginning,
  fencedTransaction,
  idsOf,
  readAndBegin,
  retryUntilStored,
  storeOutcome,
} from "../watcher/fenced-writes.ts";
import { backoffDelay } from "../watcher/poll-schedule.ts";
import { inTraceOf } from "../watcher/traced-peer.ts";
import { clockMs, type WatchedTask } from "../watcher/watched-task.ts";
import { askedUnder, isEmpty, judgeKeyed, type Memory, statusBefore } from "./judge-poll.ts";
import { peerOf } from "./peer-of.ts";
import { sessionDigest, taskRef } from "./task-secrets.ts";

/** Returns the requests with a due answer whose question the last poll showed. */
export function dueDeliveries(task: WatchedTask): RequestWork[] {
  return task.work.requests.filter((request) => isDue(request) && !task.cold.missing.has(request.id));
}

function isDue(request: RequestWork): boolean {
  const { delivery } = request;
  // The server fetches the answer once its elicitation task is completed.
  if ((keptTask(request)?.state ?? "working") !== "working") return false;
  return delivery?.state === "pending" && delivery.dueInMs <= 0;
}

/** Returns the times in ms after which requests need the next step: of their answers, or as their elicitation tasks end. */
export function turnsOf(requests: RequestWork[]): number[] {
  return requests
    .map((request) => (request.delivery ? turnOf(request.delivery) : (keptTask(request)?.endsInMs ?? 0)))
    .filter((ms) => ms > 0)
    .map((ms) => Math.min(ms, MAX_TIMER_MS));
}

/** Returns when an answer needs the next step, in ms; 0 or less for never, or if the step was just taken. */
function turnOf(delivery: DeliveryWork): number {
  if (delivery.state === "held" || delivery.state === "pending") return delivery.dueInMs;
  return delivery.state === "sending" ? REPEAT_AFTER_MS - delivery.sentAgoMs : 0;
}

/**
 * Sends one answer. `remote` was just polled and applied; null for an open call, which cannot be polled.
 * 2025-11-25: answers only an ask of the current session; without one, requests the question again and waits
 * for the same question. Returns the pause until the next look, in ms.
 */
export async function deliver(
  ctx: WatcherContext,
  task: WatchedTask,
  request: RequestWork,
  remote: RemoteTask | null,
): Promise<number> {
  if (keptTask(request)) return complete(ctx, task, request);
  const ask = liveAsk(ctx, task, request);
  if (!ask) return waitToBeAsked(ctx, task, request);
  resetSilence(task);
  return inTraceOf(ctx, task, request.delivery!.traceparent, "answer.deliver", () =>
    beginAndPost(ctx, task, request, remote, ask),
  );
}

/**
 * Completes the elicitation tasks as which a question was put, so that the server can fetch the answer. Nothing is sent but the
 * word that there is one.
 */
async function complete(ctx: WatcherContext, task: WatchedTask, request: RequestWork): Promise<number> {
  await ctx.mayChange();
  const completed = await fencedTransaction(ctx, task, async (tx) => {
    if (!ctx.mayBegin) return [];
    return completeElicitationTasks(tx, idsOf(task, request.id, request.delivery!.id));
  });
  ctx.tellOfTasks(task, completed);
  return AFTER_ANSWER_MS;
}

async function beginAndPost(
  ctx: WatcherContext,
  task: WatchedTask,
  request: RequestWork,
  remote: RemoteTask | null,
  ask: AskWork,
): Promise<number> {
  await ctx.mayChange();
  const beganAt = clockMs();
  const marked = await fencedBeginning(ctx, task, (tx) => mark(ctx, tx, task, request, remote, ask));
  return marked ? post(ctx, task, request, remote, ask, beganAt) : 0;
}

/** Commits that the answer is about to be sent. */
async function mark(
  ctx: WatcherContext,
  tx: Tx,
  task: WatchedTask,
  request: RequestWork,
  remote: RemoteTask | null,
  ask: AskWork,
): Promise<boolean> {
  if (!ctx.mayBegin) return false;
  return markSending(tx, idsOf(task, request.id, request.delivery!.id), {
    epoch: ctx.epoch,
    askId: ask.id,
    statusBefore: remote ? statusBefore(remote, ask.key) : "",
    rung: rungOf(ask),
  });
}

/** An answer that is about to be sent: that is committed. */
export interface Begun {
  request: RequestWork;
  ask: AskWork;
  remote: RemoteTask;
}

/**
 * Begins to send the answer that a task was told of, by one transaction that reads it too. `remote` was just polled, and
 * shows what was known. Returns null if nothing was begun.
 */
export async function beginUnread(
  ctx: WatcherContext,
  task: WatchedTask,
  remote: RemoteTask,
): Promise<Begun | null> {
  await ctx.mayChange();
  const read = await readAndBegin(ctx, task, async (tx, work) => {
    const request = answerToSend(task, work, remote);
    const ask = request?.asks.find(({ key }) => key !== null);
    if (!request || !ask || !(await mark(ctx, tx, task, request, remote, ask))) return null;
    return { request, ask, remote };
  });
  if (!read) return null;
  task.work = read.work;
  task.loadedAt = read.at;
  return read.begun;
}

/** Returns the request whose answer is due, where that is all there is to do about the task. */
function answerToSend(task: WatchedTask, work: TaskWork, remote: RemoteTask): RequestWork | null {
  const isGoingOn = remote.status === "working" || remote.status === "input_required";
  if (!isGoingOn || !isRunning(work.state) || work.cancelRequested || task.cold.missing.size > 0) return null;
  const [request, ...more] = work.requests.filter(({ delivery }) => delivery !== null);
  if (!request || more.length > 0 || !isDue(request)) return null;
  const plan = judgeKeyed(
    work,
    remote,
    (question) => questionHash({ taskId: task.id, ...question }),
    AT_FIRST,
  );
  return isEmpty(plan) && plan.missing.length === 0 ? request : null;
}

/** What is remembered of a task of which nothing is under way. */
const AT_FIRST: Memory = {
  pollsInSending: 0,
  elapsedMs: 0,
  missingForMs: () => 0,
  hadOthers: false,
  callOf: () => undefined,
};

/** Sends an answer that was begun. */
export function sendBegun(ctx: WatcherContext, task: WatchedTask, begun: Begun): Promise<number> {
  const { request, ask, remote } = begun;
  return inTraceOf(ctx, task, request.delivery!.traceparent, "answer.deliver", () =>
    post(ctx, task, request, remote, ask, task.polledAt),
  );
}

/** `beganAt`: before the transaction that committed the sending; monotonic, in ms. */
async function post(
  ctx: WatcherContext,
  task: WatchedTask,
  request: RequestWork,
  remote: RemoteTask | null,
  ask: AskWork,
  beganAt: number,
): Promise<number> {
  const delivery = request.delivery!;
  const ids = idsOf(task, request.id, delivery.id);
  const answer: AnswerBody = {
    action: delivery.action,
    ...(delivery.content && { content: delivery.content }),
  };
  const peer = await peerOf(ctx, task);
  const options = {
    ...callOptions(task, CALL_DEADLINE_MS),
    // A tool does its work before it replies, and a connection that is dropped may stop it.
    ...(task.work.recipeVersion !== null && { replyWithinMs: CHOICE_REPLY_MS }),
  };
  const isAsked = remote === null || (await isStillAsked(ctx, task, request, ask));
  await ctx.mayChange();
  if (!isAsked || isReused(ctx, task, ask, beganAt)) {
    await retryUntilStored(ctx, () =>
      fencedTransaction(ctx, task, (tx) => markUnsent(tx, ids, "asked_again", 0)),
    );
    return AFTER_ANSWER_MS;
  }
  const sentAt = clockMs();
  try {
    const where = remote ? taskRef(ctx, task) : { taskId: "", session: task.session?.record ?? null };
    const accepted = peer.answer(where, addressOf(ask, remote), answer, options);
    // In the same breath, since the next question may follow the answer at once.
    await Promise.all([accepted, giveUpDropped(ctx, task)]);
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    return afterFailedAnswer(ctx, task, request, error);
  }
  const attempt = delivery.attempts + 1;
  await retryUntilStored(ctx, () =>
    storeOutcome(ctx, task, async (tx) => {
      await markAccepted(tx, ids, attempt, clockMs() - sentAt);
      // Under a key nothing is asked meanwhile: the next poll shows what the server asks.
      if (ask.key !== null) return;
      await appendEvents(tx, await askedMeanwhile(tx, task.id, request.id));
    }),
  );
  const { requestId } = delivery;
  ctx.log.info({ taskId: task.id, inputRequestId: request.id, requestId }, "an answer was delivered");
  task.unchangedPolls = 0;
  task.fingerprint = undefined;
  return AFTER_ANSWER_MS;
}

/**
 * 2026-07-28: looks once more if the last poll was some time ago, because the commit or a new token took its time. The key may
 * show another question by now.
 */
async function isStillAsked(
  ctx: WatcherContext,
  task: WatchedTask,
  request: RequestWork,
  { key }: AskWork,
): Promise<boolean> {
  if (key === null || clockMs() - task.checkedAt < SEEN_LATELY_MS) return true;
  try {
    const peer = await peerOf(ctx, task);
    const { task: remote } = await peer.get(taskRef(ctx, task), callOptions(task, POLL_DEADLINE_MS));
    const question = remote && askedUnder(remote, key);
    if (!question) return false;
    return isSameQuestion(task.work, questionHash({ taskId: task.id, ...question }), request);
  } catch (error) {
    // The answer meets the same trouble, and is judged by it.
    if (error instanceof PeerError) return true;
    throw error;
  }
}

/** Requests the question again, or gives up after `UNASKED_LIMIT` tries, or sooner where the server never puts one again. */
async function waitToBeAsked(ctx: WatcherContext, task: WatchedTask, request: RequestWork): Promise<number> {
  if (!task.session) throw new Error(`task ${task.id} has no session to be asked on`);
  const limit = ctx.traits.reissues === false ? UNASKED_LIMIT_WHERE_KNOWN : UNASKED_LIMIT;
  if (task.cold.unasked >= limit || !task.work.durable) {
    await giveUp(ctx, task, request, { kind: "not_asked_again" }, "not_asked_again");
    return AFTER_ANSWER_MS;
  }
  const { id, dueInMs, waits } = request.delivery!;
  // Most servers repeat the question at once, so people are told only after a wait.
  if (!waits && clockMs() - task.loadedAt - dueInMs >= QUESTION_WAIT_MS)
    await fencedTransaction(ctx, task, (tx) => markWaiting(tx, idsOf(task, request.id, id)));
  const now = performance.now();
  await tryStandalone(ctx, task, now);
  await requestPendingQuestion(ctx, task, now);
  return Math.max(1_000, task.cold.resultStreamAgainAt - now);
}

/**
 * Ends the delivery because the server cannot be asked, or refuses the answer. The ending depends on whether
 * the server may have received the answer before.
 */
async function giveUp(
  ctx: WatcherContext,
  task: WatchedTask,
  request: RequestWork,
  observed: Observation,
  reason: string,
): Promise<void> {
  const verdict = judgeDelivery(request.delivery, observed);
  const ending = { state: "withdrawn", reason, notTaken: observed.kind === "refused" } as const;
  await fencedTransaction(ctx, task, async (tx) => {
    const events = await carryOutVerdict(tx, task.id, request, verdict, ending);
    await appendEvents(tx, events);
  });
}

async function afterFailedAnswer(
  ctx: WatcherContext,
  task: WatchedTask,
  request: RequestWork,
  error: PeerError,
): Promise<number> {
  const delivery = request.delivery!;
  const ids = idsOf(task, request.id, delivery.id);
  // Outcome unknown: the answer stays in `sending` until polls show whether the server took it. A server that
  // broke down over the answer, or replied unreadably, may have taken it too.
  const broke = error.code === "bad_reply" || error.code === "too_large";
  if (error.reached === "maybe" || (broke && delivery.attempts < MAX_BROKEN_ANSWERS)) throw error;
  if (broke || (error.reached === "yes" && error.code === "rejected")) {
    const reason = error.rpcError?.message.slice(0, 500) ?? "the server refused the answer";
    await giveUp(ctx, task, request, { kind: broke ? "broken" : "refused" }, reason);
    task.fingerprint = undefined;
    return AFTER_ANSWER_MS;
  }
  const retryInMs = error.retryAfterMs ?? backoffDelay(delivery.attempts + 1);
  await retryUntilStored(ctx, () =>
    fencedTransaction(ctx, task, (tx) => markUnsent(tx, ids, error.code, retryInMs)),
  );
  throw error;
}

/** Returns the newest answerable ask, or null. After a 2xx the same JSON-RPC id is never posted again. */
function liveAsk(ctx: WatcherContext, task: WatchedTask, request: RequestWork): AskWork | null {
  if (task.work.era === "2026-07-28") return request.asks.find((ask) => ask.key !== null) ?? null;
  if (!task.session) return null;
  const digest = sessionDigest(ctx, task.session.record).toString("hex");
  return request.asks.find((ask) => ask.sessionDigest === digest && !ask.accepted && !ask.kept) ?? null;
}

/**
 * Whether the server has said something under the ask's id while the sending was committed. The id may be another question's now, so the
 * answer waits until that is handled.
 */
function isReused(ctx: WatcherContext, { session }: WatchedTask, { rpcId }: AskWork, since: number): boolean {
  return rpcId !== null && session !== null && ctx.isReused(session, rpcId, since);
}

/** `remote` shows the question: a key that can't be kept is only there. */
function addressOf(ask: AskWork, remote: RemoteTask | null): AskAddress {
  if (ask.key !== null)
    return (remote && askedUnder(remote, ask.key)?.address) ?? { kind: "key", key: ask.key };
  if (ask.rpcId === null) throw new Error(`ask ${ask.id} has neither key nor JSON-RPC id`);
  return { kind: "rpc", rpcId: ask.rpcId };
}

function rungOf({ key, came }: AskWork): Rung {
  if (key !== null) return "update";
  return came === "first" ? "same_session" : came;
}
