import { awaitElsewhere, markRepeating } from "../../lifecycle/call-attempt-writes.ts";
import type { PeerErrorCode } from "../../mcp/peer-error.ts";
import { ELSEWHERE_MS, SLOW_POLL_MS } from "../tunables.ts";
import type { WatcherContext } from "../watcher/context.ts";
import { endWatched, fencedTransaction } from "../watcher/fenced-writes.ts";
import { markStale, setCalls, type WatchedTask } from "../watcher/watched-task.ts";
import { isPlain, mayRepeat, resumeCall } from "./send-call.ts";

/**
 * Handles an open call whose connection is gone, or whose reply is unusable (`why`). Resumes the stream if
 * the server may replay it, or repeats a repeatable call that is not plain. Else waits for another engine
 * that may still have the call open, and finally ends the task as lost, for a person to decide. Returns the
 * pause until the next step, in ms.
 */
export async function handleBrokenCall(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
  why: PeerErrorCode = "unreachable",
): Promise<number> {
  const { callId, ownEventId, hasResumed } = task.calls;
  const mayResume = task.work.era === "2025-11-25" && task.session !== null && !hasResumed;
  if (mayResume && callId !== null && ownEventId !== null) {
    // If the server refuses, this function runs again, with `hasResumed` set.
    setCalls(task, { hasResumed: true });
    setCalls(task, { call: resumeCall(ctx, task, attempt, { callId, eventId: ownEventId }) });
    return SLOW_POLL_MS;
  }
  const { toolHints, cancelRequested } = task.work;
  if (!isPlain(task.work) && mayRepeat(toolHints, cancelRequested)) {
    await fencedTransaction(ctx, task, (tx) => markRepeating(tx, task.id, attempt));
    return 0;
  }
  if (cancelRequested) {
    await endWatched(ctx, task, { state: "cancelled" });
    return 0;
  }
  const wait = why in USELESS_REPLIES ? 0 : await waitElsewhere(ctx, task, attempt);
  if (wait <= 0)
    await endWatched(ctx, task, { state: "lost", error: USELESS_REPLIES[why] ?? CONNECTION_LOST });
  return Math.max(0, wait);
}

/**
 * Returns how long to wait for another engine that may still receive the reply because it is only frozen or
 * cut off from the database; in ms, 0 to give up.
 */
async function waitElsewhere(ctx: WatcherContext, task: WatchedTask, attempt: string): Promise<number> {
  const { tries, isElsewhere } = task.calls;
  const { attemptDueInMs } = task.work;
  // This watcher made the call, or the previous engine gave it up on stopping.
  if (tries > 0 || attemptDueInMs === null) return 0;
  if (isElsewhere) {
    // The other engine may report meanwhile that the call is still open.
    markStale(task);
    return Math.min(attemptDueInMs, SLOW_POLL_MS);
  }
  await fencedTransaction(ctx, task, (tx) => awaitElsewhere(tx, task.id, attempt, ELSEWHERE_MS));
  setCalls(task, { isElsewhere: true });
  return Math.min(ELSEWHERE_MS, SLOW_POLL_MS);
}

const CONNECTION_LOST = {
  code: "connection_lost",
  message: "The connection that carried this call ended before its result came. The tool may have run.",
};
const USELESS_REPLIES: { [code in PeerErrorCode]?: { code: string; message: string } } = {
  bad_reply: {
    code: "bad_reply",
    message: "The server’s reply to this call made no sense. The tool may have run.",
  },
  too_large: {
    code: "too_large",
    message: "The server’s reply to this call was larger than Intray takes. The tool may have run.",
  },
};
