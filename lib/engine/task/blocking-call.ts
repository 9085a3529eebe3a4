/** Calls that are the task: no handle to poll, one connection that brings the result. Never repeated by themselves. */
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

/** One step of a call that is being held. Returns the pause until the next one, in ms. */
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
 * As long as its call is open, the server asks all that it asked: an answer of unknown outcome goes out once more, under the
 * same JSON-RPC id, so that a server which has had it can tell. True: it is to.
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

/** For what has no polls: people wake it, and an answer that is held has its time. In ms. */
export function nextTurn(entry: WatchedTask): number {
  const turns = entry.work.requests.map(({ delivery }) => turnOf(delivery)).filter((ms) => ms > 0);
  // They were right when they were read.
  if (turns.length > 0) entry.stale = true;
  return Math.min(SLOW_POLL_MS, ...turns.map((ms) => ms + 20));
}

/** Some servers put on a stream that was gone back to what they said before, and what they say next on none. */
function resumeAgain(ctx: WatcherContext, entry: WatchedTask): void {
  const { call, ownEventId } = entry.calls;
  if (!call?.resumed || call.result || ownEventId === null) return;
  if (performance.now() - call.resumed.at < RESUME_AGAIN_MS) return;
  call.close();
  const from = { callId: call.resumed.callId, eventId: ownEventId };
  setCalls(entry, { call: resumeCall(ctx, entry, call.attempt, from) });
}

/** Keeps what it takes to go on with the task's streams after a restart. */
export async function storeIds(ctx: WatcherContext, entry: WatchedTask): Promise<void> {
  entry.idsChanged = false;
  const sealed = sealSession(ctx, entry);
  if (sealed === null) return;
  await fencedTransaction(ctx, entry, (tx) => storeSession(ctx.organizationId, tx, entry.id, sealed));
}

/** A person's cancel: the server is told which call it is about, and the connection dropped. */
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
