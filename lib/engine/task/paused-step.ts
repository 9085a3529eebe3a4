/**
 * What is done of a task while nothing may be sent to its server, which is paused, or left alone after trouble: what came
 * in is stored.
 */
import { releaseHeld } from "../../input-requests/deliveries/transitions.ts";
import { PeerError } from "../../mcp/peer.ts";
import { hasEnded, isRunning } from "../../tasks/status.ts";
import { fencedTransaction, type WatcherContext } from "../watcher/context.ts";
import type { CallOutcome, WatchedTask } from "../watcher/watched-task.ts";
import { nextTurn } from "./blocking-call.ts";
import { wasNotRun } from "./call.ts";
import { storeCallOutcome } from "./call-outcome.ts";
import { reload, storeProgress } from "./step.ts";

/**
 * Streams and calls that are open stay so, since their end would lose what they bring. Returns the pause until the next
 * look, in ms; a task that has ended meanwhile stays, since its session is given back when the server goes on.
 */
export async function stepWhilePaused(ctx: WatcherContext, entry: WatchedTask): Promise<number> {
  if (entry.stale && !(await reload(ctx, entry))) {
    entry.stale = true;
    return nextTurn(entry);
  }
  const { work } = entry;
  const { call } = entry.calls;
  const isOurs = work.state === "starting" || (!work.durable && !hasEnded(work.state));
  if (call?.result && isOurs && canBeSettled(call.result)) await storeCallOutcome(ctx, entry, call);
  if (work.requests.some(({ delivery }) => delivery?.state === "held" && delivery.dueInMs <= 0))
    await fencedTransaction(ctx, entry, (tx) => releaseHeld(ctx.organizationId, tx, entry.id));
  if (isRunning(work.state)) await storeProgress(ctx, entry);
  return entry.stale ? 0 : nextTurn(entry);
}

/** Something came that is in memory only, and that the server may not say again. */
export function hasToStore({ calls: { call }, cold }: WatchedTask): boolean {
  return Boolean(call?.result) || cold.progress !== null;
}

/** Without asking the server anything. */
function canBeSettled(came: CallOutcome): boolean {
  if ("outcome" in came) return true;
  return came.error instanceof PeerError && wasNotRun(came.error) && came.error.code !== "header_mismatch";
}
