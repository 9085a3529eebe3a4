/**
 * Tools that ask before they make a task (multi round trip): once all questions of a round are answered, the
 * call is repeated once, with the answers and the server's opaque state.
 */
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { markRetrying } from "../../lifecycle/call-attempt-writes.ts";
import { endTask } from "../../lifecycle/end-task.ts";
import type { RequestWork } from "../../lifecycle/engine-task.ts";
import { settleUnsent } from "../../requests/capture/close-request.ts";
import { markSending } from "../../requests/deliveries/delivery-writes.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { endWatched, fencedTransaction, idsOf } from "../watcher/fenced-writes.ts";
import type { WatchedTask } from "../watcher/watched-task.ts";
import { nextTurn } from "./open-call.ts";
import { makeAttempt } from "./start.ts";

/** Waits until every question has a final answer, then repeats the call. Returns the pause in ms. */
export async function stepRound(ctx: WatcherContext, task: WatchedTask): Promise<number> {
  const { work } = task;
  if (work.cancelRequested) {
    // Nothing runs at the server, so nothing is to be cancelled there.
    await endWatched(ctx, task, { state: "cancelled" });
    return 0;
  }
  if (work.era === "2025-11-25" && work.requests.some(isDeclined)) {
    await endDeclined(ctx, task);
    return 0;
  }
  const dues = work.requests.map(({ delivery }) =>
    delivery?.state === "pending" ? Math.max(0, delivery.dueInMs) : Number.POSITIVE_INFINITY,
  );
  const due = Math.max(0, ...dues);
  if (work.requests.length === 0 || due > 0) return nextTurn(task);

  return makeAttempt(ctx, task, async (tx, attempt) => {
    if (!(await markRetrying(tx, task.id, attempt))) return null;
    for (const { id, delivery, asks } of work.requests) {
      const ids = idsOf(task, id, delivery!.id);
      const how = { epoch: ctx.epoch, askId: asks[0]!.id, statusBefore: "", rung: "retry" as const };
      // Impossible while the task is locked and not cancelled. The throw rolls everything back.
      if (!(await markSending(tx, ids, how))) throw new Error("an answer is not pending");
    }
    return { ...work, state: "starting", requests: work.requests.map(beingSent) };
  });
}

function beingSent(request: RequestWork): RequestWork {
  const delivery = request.delivery!;
  return { ...request, delivery: { ...delivery, state: "sending", attempts: delivery.attempts + 1 } };
}

/** Returns whether the answer is a refusal that can no longer be undone. */
function isDeclined({ delivery }: RequestWork): boolean {
  return delivery?.state === "pending" && delivery.dueInMs <= 0 && delivery.action !== "accept";
}

/**
 * 2025-11-25: a repeated call tells the server that the address was visited, and carries no answers. After a
 * refusal the call is therefore not repeated, and the task ends as cancelled.
 */
async function endDeclined(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  await fencedTransaction(ctx, task, async (tx) => {
    const events: NewEvent[] = [];
    for (const { id } of task.work.requests.filter(isDeclined))
      events.push(...(await settleUnsent(tx, task.id, id)));
    // The refusals were undone after all.
    if (events.length === 0) return;
    await endTask(tx, task.id, { state: "cancelled", error: DECLINED });
    await appendEvents(tx, events);
  });
}

const DECLINED = {
  code: "declined",
  message: "Somebody declined what the tool asked before it runs. It was not called again.",
};
