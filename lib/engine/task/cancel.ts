/** Sends a task's cancel to its server. */
import type { Tx } from "../../base/db/db.ts";
import { inSpan } from "../../base/tracing/span.ts";
import type { TaskWork } from "../../lifecycle/engine-task.ts";
import { markCancelSent, markCancelUnsent } from "../../lifecycle/running-task-writes.ts";
import type { RemoteTask } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { CALL_DEADLINE_MS, CHOICE_REPLY_MS, MAX_BROKEN_CANCELS } from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import { fencedBeginning, fencedTransaction, retryUntilStored } from "../watcher/fenced-writes.ts";
import { spanOf } from "../watcher/traced-peer.ts";
import { setCold, type WatchedTask } from "../watcher/watched-task.ts";
import { isCancelSentOnce, peerOf } from "./peer-of.ts";
import { wasNotRun } from "./send-call.ts";
import { taskRef } from "./task-secrets.ts";

/**
 * Sends the cancel. One that must not be sent twice is committed before its first byte: if its reply is lost, or Intray is
 * killed over it, the polls that follow show what became of it, and after its grace the task is cancelled here, with the state
 * that the server is in. Returns the pause in ms.
 */
export async function sendCancel(ctx: WatcherContext, task: WatchedTask): Promise<number> {
  const { work } = task;
  await ctx.mayChange();
  if (ctx.paused) return 0;
  const peer = await peerOf(ctx, task);
  const isOnce = await isCancelSentOnce(ctx, work);
  const mark = (tx: Tx) => markCancelSent(tx, task.id, isOnce);
  if (isOnce) {
    if (!(await fencedBeginning(ctx, task, async (tx) => ctx.mayBegin && mark(tx)))) return 0;
    await ctx.mayChange();
  }
  const options = {
    ...callOptions(task, CALL_DEADLINE_MS),
    // As of a choice: a tool does its work before it replies.
    ...(work.recipeVersion !== null && { replyWithinMs: CHOICE_REPLY_MS }),
  };
  try {
    await inSpan("task.cancel", spanOf(ctx, task), () => peer.cancel(taskRef(ctx, task), options));
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    if (isOnce && wasNotRun(error)) await fencedTransaction(ctx, task, (tx) => markCancelUnsent(tx, task.id));
    // A refused cancel means that the task has ended, which the next poll shows, or can't be cancelled.
    const isBroken = error.code === "bad_reply" || (work.recipeVersion !== null && !wasNotRun(error));
    const brokenCancels = task.cold.brokenCancels + (isBroken ? 1 : 0);
    setCold(task, { brokenCancels });
    if (!isRefusedAgain(error) && !(isBroken && brokenCancels > MAX_BROKEN_CANCELS)) throw error;
  }
  if (!isOnce) await retryUntilStored(ctx, () => fencedTransaction(ctx, task, mark));
  task.fingerprint = undefined;
  return 0;
}

/**
 * Whether polls have still to tell what became of an answer, so that a cancel waits for that. Those that are not understood
 * tell nothing: then it waits no longer than the answer's own call may take.
 */
export function awaitsOutcome({ requests, recipeVersion }: TaskWork, { isUnknown }: RemoteTask): boolean {
  const callMs = recipeVersion === null ? CALL_DEADLINE_MS : CHOICE_REPLY_MS;
  return requests.some(
    ({ delivery }) => delivery?.state === "sending" && !(isUnknown && delivery.sentAgoMs > callMs),
  );
}

/** Returns whether a retry would be refused again. */
function isRefusedAgain({ code }: PeerError): boolean {
  return code === "rejected" || code === "not_supported";
}
