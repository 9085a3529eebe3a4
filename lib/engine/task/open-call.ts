/** Calls that are the task: one connection brings the result, without a handle to poll. */
import { appendEvents, type NewEvent } from "../../history/events/event-writes.ts";
import { setOpenCallState } from "../../lifecycle/call-attempt-writes.ts";
import { storeSession } from "../../lifecycle/running-task-writes.ts";
import { repeat } from "../../requests/deliveries/delivery-writes.ts";
import { judgeDelivery, POLLS_BEFORE_REPEAT } from "../../requests/deliveries/judge-delivery.ts";
import { dropStreams } from "../sessions/session-moves.ts";
import {
  AFTER_ANSWER_MS,
  CALL_DEADLINE_MS,
  CANCELLED_REPLY_MS,
  RESUME_AGAIN_MS,
  SLOW_POLL_MS,
} from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import { endWatched, fencedTransaction, idsOf } from "../watcher/fenced-writes.ts";
import { markStale, type OpenCall, setCalls, type WatchedTask } from "../watcher/watched-task.ts";
import { handleBrokenCall } from "./broken-call.ts";
import { storeCallOutcome } from "./call-outcome.ts";
import { deliver, dueDeliveries, turnsOf } from "./deliver.ts";
import { isPlain, resumeCall } from "./send-call.ts";
import { sealSession } from "./task-secrets.ts";

/** Takes one step of an open call. Returns the pause until the next one, in ms. */
export async function stepOpenCall(ctx: WatcherContext, task: WatchedTask): Promise<number> {
  const { work } = task;
  const { call } = task.calls;
  const attempt = work.attemptId!;
  if (!call) return handleBrokenCall(ctx, task, attempt);
  if (call.result) return storeCallOutcome(ctx, task, call);
  if (work.cancelRequested) return cancel(ctx, task, call);
  if (await repeatUnclear(ctx, task)) return 0;
  const due = dueDeliveries(task);
  for (const request of due) await deliver(ctx, task, request, null);
  if (due.length > 0) return AFTER_ANSWER_MS;
  const waits = work.requests.some(({ delivery }) => delivery?.state !== "accepted");
  const state = waits ? "input_required" : "working";
  if (work.state !== state) await fencedTransaction(ctx, task, (tx) => setOpenCallState(tx, task.id, state));
  if (task.idsChanged) await storeIds(ctx, task);
  resumeAgain(ctx, task);
  return Math.min(task.calls.call?.resumed ? RESUME_AGAIN_MS : SLOW_POLL_MS, nextTurn(task));
}

/**
 * Repeats answers of unknown outcome, under the same JSON-RPC id, so that a server which has one already can
 * tell. An open call proves that the server still waits for all its questions. Returns true if any is to be
 * sent again.
 */
async function repeatUnclear(ctx: WatcherContext, task: WatchedTask): Promise<boolean> {
  const asked = { kind: "asked", polls: POLLS_BEFORE_REPEAT } as const;
  const unclear = task.work.requests.filter(
    ({ delivery }) => delivery?.state === "sending" && judgeDelivery(delivery, asked) === "repeat",
  );
  if (unclear.length === 0) return false;
  await fencedTransaction(ctx, task, async (tx) => {
    const events: NewEvent[] = [];
    for (const { id, delivery } of unclear) events.push(...(await repeat(tx, idsOf(task, id, delivery!.id))));
    await appendEvents(tx, events);
  });
  return true;
}

/**
 * Returns the pause of a task without polls, in ms: people's actions wake it, held answers have a due time.
 */
export function nextTurn(task: WatchedTask): number {
  const turns = turnsOf(task.work.requests);
  // Due times are relative to the last load.
  if (turns.length > 0) markStale(task);
  return Math.min(SLOW_POLL_MS, ...turns.map((ms) => ms + 20));
}

/**
 * Resumes the stream again, because some servers replay old events on a resumed stream but send no new ones.
 */
function resumeAgain(ctx: WatcherContext, task: WatchedTask): void {
  const { call, ownEventId } = task.calls;
  if (!call?.resumed || call.result || ownEventId === null) return;
  if (performance.now() - call.resumed.at < RESUME_AGAIN_MS) return;
  call.close();
  const from = { callId: call.resumed.callId, eventId: ownEventId };
  setCalls(task, { call: resumeCall(ctx, task, call.attempt, from) });
}

/** Stores the session with the ids that resuming its streams after a restart takes. */
export async function storeIds(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  // A stream's place is stored after what came there: the server would not say that again.
  if (task.session && ctx.hasUnstored(task.session)) return;
  task.idsChanged = false;
  const sealed = sealSession(ctx, task);
  if (sealed === null) return;
  try {
    await fencedTransaction(ctx, task, (tx) => storeSession(tx, task.id, sealed));
  } catch (error) {
    task.idsChanged = true;
    throw error;
  }
}

/**
 * Carries out a person's cancel: notifies the server of the cancelled call and drops the connection, which is what cancels a
 * call of 2026-07-28. There the reply may be the handle of a task that would run on, so that it is awaited for a while.
 */
async function cancel(ctx: WatcherContext, task: WatchedTask, call: OpenCall): Promise<number> {
  const { work, session } = task;
  const { callId } = task.calls;
  await ctx.mayChange();
  if (ctx.paused) return 0;
  const mayBeTask = work.era === "2026-07-28" && !isPlain(work);
  const wait = mayBeTask ? call.at + CANCELLED_REPLY_MS - performance.now() : 0;
  if (wait > 0) return wait;
  if (session && callId !== null)
    await ctx.peer(work.era!).cancelCall(session.record, callId, callOptions(task, CALL_DEADLINE_MS));
  await endWatched(ctx, task, { state: "cancelled" });
  call.close();
  setCalls(task, { call: null });
  dropStreams(ctx, task);
  return 0;
}
