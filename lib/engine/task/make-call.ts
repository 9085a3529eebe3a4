/** Makes the call of a committed attempt, and says what follows its first reply. */
import { markOpenCall } from "../../lifecycle/call-attempt-writes.ts";
import { SLOW_POLL_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { fencedTransaction } from "../watcher/fenced-writes.ts";
import { inTraceOf } from "../watcher/traced-peer.ts";
import { setCalls, type WatchedTask } from "../watcher/watched-task.ts";
import { storeCallOutcome } from "./call-outcome.ts";
import { peerOf } from "./peer-of.ts";
import { mayBeHeld, promptOutcome, sendCall } from "./send-call.ts";
import { sealSession } from "./task-secrets.ts";

/** Makes the call of an attempt that was just committed. Slow replies are awaited in later steps. */
export function makeCall(ctx: WatcherContext, task: WatchedTask, attempt: string): Promise<number> {
  const { work } = task;
  // A repeated call belongs to the trace of the person who answered.
  const answer = work.requests.find(({ delivery }) => delivery?.state === "sending")?.delivery;
  const asked = answer ? answer.traceparent : work.traceparent;
  const name = answer ? "answer.deliver" : "task.start";
  return inTraceOf(ctx, task, asked, name, () => callAndWait(ctx, task, attempt));
}

async function callAndWait(ctx: WatcherContext, task: WatchedTask, attempt: string): Promise<number> {
  const peer = await peerOf(ctx, task);
  await ctx.mayChange();
  ctx.log.info({ taskId: task.id }, "a tool is called");
  const placed = sendCall(ctx, task, attempt, peer);
  setCalls(task, { call: placed });
  await promptOutcome(placed);
  return placed.result ? storeCallOutcome(ctx, task, placed) : markLongRunning(ctx, task, attempt);
}

/**
 * Marks a call that takes longer than making a task as an open call. A call whose reply can only be a handle
 * stays a start of unknown outcome.
 */
export async function markLongRunning(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
): Promise<number> {
  if (!mayBeHeld(task.work)) return SLOW_POLL_MS;
  await fencedTransaction(ctx, task, (tx) => markOpenCall(tx, task.id, attempt, sealSession(ctx, task)));
  return 0;
}
