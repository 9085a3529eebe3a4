import type { PeerErrorCode } from "../../mcp/peer.ts";
import { awaitElsewhere, markRepeating } from "../../task-lifecycle/attempts.ts";
import { ELSEWHERE_MS, SLOW_POLL_MS } from "../tunables.ts";
import { fencedTransaction, type WatcherContext } from "../watcher/context.ts";
import { setCalls, type WatchedTask } from "../watcher/watched-task.ts";
import { end } from "./apply-poll.ts";
import { isPlain, mayRepeat, resumeCall } from "./call.ts";

/**
 * The connection that carried the call is gone, with this process' predecessor or by itself, or its reply is of no use
 * (`why`). The server may replay what was missed; a tool that may be called again is, but for plain calls. A call that another
 * engine made may be open there yet, and is awaited for a while; else it is lost, and a person decides.
 */
export async function handleBrokenCall(
  ctx: WatcherContext,
  entry: WatchedTask,
  attempt: string,
  why: PeerErrorCode = "unreachable",
): Promise<number> {
  const { callId, ownEventId, hasResumed } = entry.calls;
  const mayResume = entry.work.era === "2025-11-25" && entry.live !== null && !hasResumed;
  if (mayResume && callId !== null && ownEventId !== null) {
    // Where the server refuses, this comes back here.
    setCalls(entry, { hasResumed: true });
    setCalls(entry, { call: resumeCall(ctx, entry, attempt, { callId, eventId: ownEventId }) });
    return SLOW_POLL_MS;
  }
  const { toolHints, cancelRequested } = entry.work;
  if (!isPlain(entry.work) && mayRepeat(toolHints, cancelRequested)) {
    await fencedTransaction(ctx, entry, (tx) => markRepeating(ctx.organizationId, tx, entry.id, attempt));
    return 0;
  }
  if (cancelRequested) {
    await end(ctx, entry, { state: "cancelled" });
    return 0;
  }
  const wait = why in USELESS_REPLIES ? 0 : await waitElsewhere(ctx, entry, attempt);
  if (wait <= 0) await end(ctx, entry, { state: "lost", error: USELESS_REPLIES[why] ?? CONNECTION_LOST });
  return Math.max(0, wait);
}

/**
 * The engine that made the call may only stand still, or be cut off from the database: the result comes to it. In ms; 0:
 * it is not awaited any more.
 */
async function waitElsewhere(ctx: WatcherContext, entry: WatchedTask, attempt: string): Promise<number> {
  const { tries, isElsewhere } = entry.calls;
  const { attemptDueInMs } = entry.work;
  // Called from here, or left in order by who called.
  if (tries > 0 || attemptDueInMs === null) return 0;
  if (isElsewhere) {
    // That engine may say meanwhile that it has it.
    entry.stale = true;
    return Math.min(attemptDueInMs, SLOW_POLL_MS);
  }
  const { organizationId } = ctx;
  await fencedTransaction(ctx, entry, (tx) =>
    awaitElsewhere(organizationId, tx, entry.id, attempt, ELSEWHERE_MS),
  );
  setCalls(entry, { isElsewhere: true });
  return Math.min(ELSEWHERE_MS, SLOW_POLL_MS);
}

const CONNECTION_LOST = {
  code: "connection_lost",
  message: "The connection that carried this call ended before its result came. The tool may have run.",
};
const USELESS_REPLIES: { [code in PeerErrorCode]?: { code: string; message: string } } = {
  bad_reply: {
    code: "bad_reply",
    message: "The server's reply to this call made no sense. The tool may have run.",
  },
  too_large: {
    code: "too_large",
    message: "The server's reply to this call was larger than Intray takes. The tool may have run.",
  },
};
