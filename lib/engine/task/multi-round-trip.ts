/**
 * Tools that ask before they make a task (multi round trip): when all questions of a round are answered the call is
 * made again with the answers and the server's own state, once.
 */
import { randomUUID } from "node:crypto";
import { appendEvents, type NewEvent } from "../../events/transitions.ts";
import { settleUnsent } from "../../input-requests/capture.ts";
import { markSending } from "../../input-requests/deliveries/transitions.ts";
import { markRetrying } from "../../task-lifecycle/attempts.ts";
import { endTask } from "../../task-lifecycle/progress.ts";
import type { RequestWork } from "../../task-lifecycle/work.ts";
import { ATTEMPT_DEADLINE_MS } from "../tunables.ts";
import { fencedTransaction, type WatcherContext } from "../watcher/context.ts";
import type { WatchedTask } from "../watcher/watched-task.ts";
import { end, idsOf } from "./apply-poll.ts";
import { nextTurn } from "./blocking-call.ts";
import { sealSession } from "./sealed.ts";
import { call, prepare } from "./start.ts";

/** Waits for people; when every question has its answer, and no undo can come any more, calls again. */
export async function stepRound(ctx: WatcherContext, entry: WatchedTask): Promise<number> {
  const { work } = entry;
  if (work.cancelRequested) {
    // Nothing runs at the server that could be cancelled.
    await end(ctx, entry, { state: "cancelled" });
    return 0;
  }
  if (work.era === "2025-11-25" && work.requests.some(isDeclined)) {
    await endDeclined(ctx, entry);
    return 0;
  }
  const dues = work.requests.map(({ delivery }) =>
    delivery?.state === "pending" ? Math.max(0, delivery.dueInMs) : Number.POSITIVE_INFINITY,
  );
  const due = Math.max(0, ...dues);
  if (work.requests.length === 0 || due > 0) return nextTurn(entry);

  const pause = await prepare(ctx, entry);
  if (pause !== null) return pause;
  const attempt = randomUUID();
  await ctx.mayChange();
  const marked = await fencedTransaction(ctx, entry, async (tx) => {
    if (!ctx.mayBegin) return false;
    const retrying = await markRetrying(ctx.organizationId, tx, entry.id, {
      id: attempt,
      deadlineMs: ATTEMPT_DEADLINE_MS,
      sealedSession: sealSession(ctx, entry),
    });
    if (!retrying) return false;
    for (const { id, delivery, asks } of work.requests) {
      const ids = idsOf(entry, id, delivery!.id);
      const how = { epoch: ctx.epoch, askId: asks[0]!.id, statusBefore: "", rung: "retry" as const };
      // Can't be: the task is locked, and not cancelled. Then nothing of this is done.
      if (!(await markSending(ctx.organizationId, tx, ids, how))) throw new Error("an answer is not pending");
    }
    return true;
  });
  if (!marked) return 0;
  const requests = work.requests.map((request) => ({
    ...request,
    delivery: {
      ...request.delivery!,
      state: "sending" as const,
      attempts: request.delivery!.attempts + 1,
    },
  }));
  entry.work = { ...work, state: "starting", requests };
  return call(ctx, entry, attempt);
}

/** Its answer says no, and no undo can come any more. */
function isDeclined({ delivery }: RequestWork): boolean {
  return delivery?.state === "pending" && delivery.dueInMs <= 0 && delivery.action !== "accept";
}

/**
 * 2025-11-25: a call brings no answers with it. Made again it says that the address was visited, so where somebody will
 * not it is not made, and that is all there is to be told.
 */
async function endDeclined(ctx: WatcherContext, entry: WatchedTask): Promise<void> {
  const { organizationId } = ctx;
  await fencedTransaction(ctx, entry, async (tx) => {
    const events: NewEvent[] = [];
    for (const { id } of entry.work.requests.filter(isDeclined))
      events.push(...(await settleUnsent(organizationId, tx, entry.id, id)));
    // Undone after all.
    if (events.length === 0) return;
    await endTask(organizationId, tx, entry.id, { state: "cancelled", error: DECLINED });
    await appendEvents(organizationId, tx, events);
  });
}

const DECLINED = {
  code: "declined",
  message: "Somebody declined what the tool asked before it runs. It was not called again.",
};
