/** Calls that are the task: one connection brings the result, without a handle to poll. */
import { appendEvents, type NewEvent } from "../../events/transitions.ts";
import { judgeDelivery, POLLS_BEFORE_REPEAT } from "../../input-requests/deliveries/judge.ts";
import { repeat } from "../../input-requests/deliveries/transitions.ts";
import { setOpenCallState } from "../../task-lifecycle/attempts.ts";
import { storeSession } from "../../task-lifecycle/progress.ts";
import { dropStreams } from "../sessions/streams.ts";
import { AFTER_ANSWER_MS, CALL_DEADLINE_MS, RESUME_AGAIN_MS, SLOW_POLL_MS } from "../tunables.ts";
import { callOptions, fencedTransaction, type WatcherContext } from "../watcher/context.ts";
import { setCalls, type WatchedTask } from "../watcher/watched-task.ts";
import { end, idsOf } from "./apply-poll.ts";
import { handleBrokenCall } from "./broken-call.ts";
import { resumeCall } from "./call.ts";
import { storeCallOutcome } from "./call-outcome.ts";
import { deliver, dueDeliveries, turnOf } from "./deliver.ts";
import { sealSession } from "./sealed.ts";

/** Takes one step of an open call. Returns the pause until the next one, in ms. */
export async function stepOpenCall(ctx: WatcherContext, entry: WatchedTask): Promise<number> {
  const { work } = entry;
  const { call } = entry.calls;
  const attempt = work.attemptId!;
  if (!call) return handleBrokenCall(ctx, entry, attempt);
  if (call.result) return storeCallOutcome(ctx, entry, call);
  if (work.cancelRequested) return cancel(ctx, entry);
  if (await repeatUnclear(ctx, entry)) return 0;
  const due = dueDeliveries(entry);
  for (const request of due) await deliver(ctx, entry, request, null);
  if (due.length > 0) return AFTER_ANSWER_MS;
  const waits = work.requests.some(({ delivery }) => delivery?.state !== "accepted");
  const state = waits ? "input_required" : "working";
  if (work.state !== state)
    await fencedTransaction(ctx, entry, (tx) => setOpenCallState(ctx.organizationId, tx, entry.id, state));
  if (entry.idsChanged) await storeIds(ctx, entry);
  resumeAgain(ctx, entry);
  return Math.min(entry.calls.call?.resumed ? RESUME_AGAIN_MS : SLOW_POLL_MS, nextTurn(entry));
}

/**
 * Repeats answers of unknown outcome, under the same JSON-RPC id, so that a server which has one already can
 * tell. An open call proves that the server still waits for all its questions. Returns true if any is to be
 * sent again.
 */
async function repeatUnclear(ctx: WatcherContext, entry: WatchedTask): Promise<boolean> {
  const { organizationId } = ctx;
  const asked = { kind: "asked", polls: POLLS_BEFORE_REPEAT } as const;
  const unclear = entry.work.requests.filter(
    ({ delivery }) => delivery?.state === "sending" && judgeDelivery(delivery, asked) === "repeat",
  );
  if (unclear.length === 0) return false;
  await fencedTransaction(ctx, entry, async (tx) => {
    const events: NewEvent[] = [];
    for (const { id, delivery } of unclear)
      events.push(...(await repeat(organizationId, tx, idsOf(entry, id, delivery!.id))));
    await appendEvents(organizationId, tx, events);
  });
  return true;
}

/**
 * Returns the pause of a task without polls, in ms: people's actions wake it, held answers have a due time.
 */
export function nextTurn(entry: WatchedTask): number {
  const turns = entry.work.requests.map(({ delivery }) => turnOf(delivery)).filter((ms) => ms > 0);
  // Due times are relative to the last load.
  if (turns.length > 0) entry.stale = true;
  return Math.min(SLOW_POLL_MS, ...turns.map((ms) => ms + 20));
}

/**
 * Resumes the stream again, because some servers replay old events on a resumed stream but send no new ones.
 */
function resumeAgain(ctx: WatcherContext, entry: WatchedTask): void {
  const { call, ownEventId } = entry.calls;
  if (!call?.resumed || call.result || ownEventId === null) return;
  if (performance.now() - call.resumed.at < RESUME_AGAIN_MS) return;
  call.close();
  const from = { callId: call.resumed.callId, eventId: ownEventId };
  setCalls(entry, { call: resumeCall(ctx, entry, call.attempt, from) });
}

/** Stores the session with the ids that resuming its streams after a restart takes. */
export async function storeIds(ctx: WatcherContext, entry: WatchedTask): Promise<void> {
  entry.idsChanged = false;
  const sealed = sealSession(ctx, entry);
  if (sealed === null) return;
  await fencedTransaction(ctx, entry, (tx) => storeSession(ctx.organizationId, tx, entry.id, sealed));
}

/** Carries out a person's cancel: notifies the server of the cancelled call and drops the connection. */
async function cancel(ctx: WatcherContext, entry: WatchedTask): Promise<number> {
  const { work, live } = entry;
  const { callId } = entry.calls;
  await ctx.mayChange();
  if (ctx.paused) return 0;
  if (live && callId !== null)
    await ctx.peer(work.era!).cancelCall(live.record, callId, callOptions(entry, CALL_DEADLINE_MS));
  await end(ctx, entry, { state: "cancelled" });
  dropStreams(ctx, entry);
  setCalls(entry, { call: null });
  return 0;
}
