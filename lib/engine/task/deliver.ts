/** Delivers answers. The delivery row is the truth, so every step can be repeated after a crash. */

import { appendEvents } from "../../events/transitions.ts";
import { askedMeanwhile, carryOutVerdict } from "../../input-requests/capture.ts";
import { judgeDelivery, type Observation, REPEAT_AFTER_MS } from "../../input-requests/deliveries/judge.ts";
import {
  markAccepted,
  markSending,
  markUnsent,
  markWaiting,
  type Rung,
} from "../../input-requests/deliveries/transitions.ts";
import { type AnswerBody, type AskAddress, PeerError, type RemoteTask } from "../../mcp/peer.ts";
import type { AskWork, DeliveryWork, RequestWork } from "../../task-lifecycle/work.ts";
import { inSpan } from "../../tracing/span.ts";
import { requestPendingQuestion, resetSilence, tryStandalone } from "../sessions/streams.ts";
import {
  AFTER_ANSWER_MS,
  CALL_DEADLINE_MS,
  MAX_BROKEN_ANSWERS,
  QUESTION_WAIT_MS,
  UNASKED_LIMIT,
} from "../tunables.ts";
import {
  callOptions,
  fencedBeginning,
  fencedTransaction,
  retryUntilStored,
  storeOutcome,
  type WatcherContext,
} from "../watcher/context.ts";
import { backoffDelay } from "../watcher/poll-schedule.ts";
import { spanAfter } from "../watcher/traced-peer.ts";
import { clockMs, type WatchedTask } from "../watcher/watched-task.ts";
import { idsOf, requestIds } from "./apply-poll.ts";
import { statusOf } from "./judge-poll.ts";
import { sessionDigest, taskRef } from "./sealed.ts";

/** Returns the requests with a due answer whose question the last poll showed. */
export function dueDeliveries(task: WatchedTask): RequestWork[] {
  return task.work.requests.filter(
    ({ id, delivery }) =>
      delivery?.state === "pending" && delivery.dueInMs <= 0 && !task.cold.missing.has(id),
  );
}

/** Returns when an answer needs the next step, in ms; 0 or less for never, or if the step was just taken. */
export function turnOf(delivery: DeliveryWork | null): number {
  if (delivery?.state === "held" || delivery?.state === "pending") return delivery.dueInMs;
  return delivery?.state === "sending" ? REPEAT_AFTER_MS - delivery.sentAgoMs : 0;
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
  const ask = liveAsk(ctx, task, request);
  if (!ask) return waitToBeAsked(ctx, task, request);
  resetSilence(task);
  const { traceparent } = request.delivery!;
  if (traceparent === null) return send(ctx, task, request, remote, ask);
  return inSpan("answer.deliver", spanAfter(ctx, task, traceparent), () =>
    send(ctx, task, request, remote, ask),
  );
}

async function send(
  ctx: WatcherContext,
  task: WatchedTask,
  request: RequestWork,
  remote: RemoteTask | null,
  ask: AskWork,
): Promise<number> {
  const delivery = request.delivery!;
  const ids = idsOf(task, request.id, delivery.id);
  await ctx.mayChange();
  const marked = await fencedBeginning(
    ctx,
    task,
    async (tx) =>
      ctx.mayBegin &&
      (await markSending(ctx.organizationId, tx, ids, {
        epoch: ctx.epoch,
        askId: ask.id,
        statusBefore: remote ? statusOf(remote) : "",
        rung: rungOf(ask),
      })),
  );
  if (!marked) return 0;
  const answer: AnswerBody = {
    action: delivery.action,
    ...(delivery.content && { content: delivery.content }),
  };
  const peer = ctx.peer(task.work.era!);
  try {
    await ctx.mayChange();
    const where = remote ? taskRef(ctx, task) : { taskId: "", session: task.session?.record ?? null };
    await peer.answer(where, addressOf(ask), answer, callOptions(task, CALL_DEADLINE_MS));
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    return afterFailure(ctx, task, request, error);
  }
  const attempt = delivery.attempts + 1;
  await retryUntilStored(ctx, () =>
    storeOutcome(ctx, task, async (tx) => {
      await markAccepted(ctx.organizationId, tx, ids, attempt);
      // Under a key nothing is asked meanwhile: the next poll shows what the server asks.
      if (ask.key !== null) return;
      await appendEvents(
        ctx.organizationId,
        tx,
        await askedMeanwhile(ctx.organizationId, tx, task.id, request.id),
      );
    }),
  );
  const { requestId } = delivery;
  ctx.log.info({ taskId: task.id, inputRequestId: request.id, requestId }, "an answer was delivered");
  task.unchangedPolls = 0;
  task.fingerprint = undefined;
  return AFTER_ANSWER_MS;
}

/** Requests the question again, or gives up after `UNASKED_LIMIT` tries. */
async function waitToBeAsked(ctx: WatcherContext, task: WatchedTask, request: RequestWork): Promise<number> {
  if (!task.session) throw new Error(`task ${task.id} has no session to be asked on`);
  if (task.cold.unasked >= UNASKED_LIMIT || !task.work.durable) {
    await giveUp(ctx, task, request, { kind: "not_asked_again" }, "not_asked_again");
    return AFTER_ANSWER_MS;
  }
  const { id, dueInMs, waits } = request.delivery!;
  // Most servers repeat the question at once, so people are told only after a wait.
  if (!waits && clockMs() - task.loadedAt - dueInMs >= QUESTION_WAIT_MS)
    await fencedTransaction(ctx, task, (tx) =>
      markWaiting(ctx.organizationId, tx, idsOf(task, request.id, id)),
    );
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
    const target = requestIds(task, request);
    const events = await carryOutVerdict(ctx.organizationId, tx, target, verdict, ending);
    await appendEvents(ctx.organizationId, tx, events);
  });
}

async function afterFailure(
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
  await fencedTransaction(ctx, task, (tx) => markUnsent(ctx.organizationId, tx, ids, error.code, retryInMs));
  throw error;
}

/** Returns the newest answerable ask, or null. After a 2xx the same JSON-RPC id is never posted again. */
function liveAsk(ctx: WatcherContext, task: WatchedTask, request: RequestWork): AskWork | null {
  if (task.work.era === "2026-07-28") return request.asks.find((ask) => ask.key !== null) ?? null;
  if (!task.session) return null;
  const digest = sessionDigest(ctx, task.session.record).toString("hex");
  return request.asks.find((ask) => ask.sessionDigest === digest && !ask.accepted) ?? null;
}

function addressOf(ask: AskWork): AskAddress {
  if (ask.key !== null) return { kind: "key", key: ask.key };
  if (ask.rpcId === null) throw new Error(`ask ${ask.id} has neither key nor JSON-RPC id`);
  return { kind: "rpc", rpcId: ask.rpcId };
}

function rungOf({ key, came }: AskWork): Rung {
  if (key !== null) return "update";
  return came === "first" ? "same_session" : came;
}
