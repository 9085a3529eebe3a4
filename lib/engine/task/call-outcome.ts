/** Stores the outcome of a call: a task, a result, a round of questions, or a failure. */
import type { Tx } from "../../base/db/db.ts";
import {
  lockAwaited,
  markNotStarted,
  markRepeating,
  markStarted,
  markStartUnknown,
  renewInputSchema,
  stillAwaited,
} from "../../lifecycle/call-attempt-writes.ts";
import { endTask } from "../../lifecycle/end-task.ts";
import { OPEN_QUESTIONS } from "../../mcp/limits.ts";
import type { RemoteTask, StartOutcome } from "../../mcp/peer.ts";
import { NOT_REACHED, PeerError, SignInNeeded, TokensUnreadable } from "../../mcp/peer-error.ts";
import { EntryGone } from "../../servers/operator-file.ts";
import { RecipeFailure } from "../../servers/recipes/peer.ts";
import { outcomeOf } from "../../tasks/outcome.ts";
import { dropStreams, leaveIfGone, leaveSession, SessionsForgotten } from "../sessions/session-moves.ts";
import { leaveBehind } from "../sessions/sessions.ts";
import {
  ATTEMPT_DEADLINE_MS,
  DEFAULT_POLL_MS,
  ELSEWHERE_MS,
  HANDLE_REPLY_MS,
  MAX_BROKEN_CALLS,
} from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import { fencedTransaction, retryUntilStored, storeOutcome } from "../watcher/fenced-writes.ts";
import {
  type CallOutcome,
  markStale,
  type OpenCall,
  setCalls,
  type WatchedTask,
} from "../watcher/watched-task.ts";
import { handleBrokenCall } from "./broken-call.ts";
import { peerOf } from "./peer-of.ts";
import { rediscover } from "./rediscover.ts";
import { answersUnderWay, isPlain, mayRepeat, wasNotRun } from "./send-call.ts";
import { confirmTaken, failCall, judgeRound, storeRound, waitAgain } from "./store-round.ts";
import { sealedTask } from "./task-secrets.ts";

/**
 * Stores the outcome of a call. The call stays on its task until then, so that the next step retries a failed
 * write. Throws the server's failure once that is stored.
 */
export async function storeCallOutcome(
  ctx: WatcherContext,
  task: WatchedTask,
  call: OpenCall,
): Promise<number> {
  const came = call.result;
  if (!came) throw new Error(`the call of task ${task.id} has no outcome yet`);
  const forget = () => {
    if (task.calls.call === call) setCalls(task, { call: null });
  };
  try {
    const pause = await settleOnce(ctx, task, call.attempt, came);
    forget();
    return pause;
  } catch (error) {
    // The error is the call's own, or of a follow-up request: nothing is left to be stored.
    if (error instanceof PeerError || ("error" in came && error === came.error)) forget();
    throw error;
  }
}

function settleOnce(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
  came: CallOutcome,
): Promise<number> {
  if ("outcome" in came) {
    if (task.session) ctx.sessions.answered(task.session);
    return storeReply(ctx, task, attempt, came.outcome);
  }
  if (!(came.error instanceof PeerError)) throw came.error;
  return afterFailedCall(ctx, task, attempt, came.error, came.hasNewAccess);
}

/**
 * Stores the reply to a call made by this engine after another engine took the lease, because only this one
 * receives it. Tells the other engine meanwhile that the call is open. Leaves failures to the other engine.
 */
export async function storeAfterLeaseLost(
  ctx: WatcherContext,
  task: WatchedTask,
  call: OpenCall,
): Promise<void> {
  const report = () =>
    ctx
      .unfenced((tx) => stillAwaited(tx, task.id, call.attempt, ELSEWHERE_MS), task.id)
      .catch((error: unknown) =>
        ctx.log.warn({ err: error, taskId: task.id }, "could not report that an open call is still awaited"),
      );
  const patience = setTimeout(() => call.close(), HANDLE_REPLY_MS).unref();
  const reporting = setInterval(report, ELSEWHERE_MS / 6).unref();
  const came = await call.done;
  clearTimeout(patience);
  clearInterval(reporting);
  if ("outcome" in came) await retryUntilStored(ctx, () => storeReply(ctx, task, call.attempt, came.outcome));
}

/** Stores a reply in one transaction that expects the attempt. */
async function storeReply(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
  outcome: StartOutcome,
): Promise<number> {
  const { connectionId } = ctx;
  // Later messages name the handle, which is masked in all of them.
  if (outcome.kind === "task") ctx.name(task, outcome.task.taskId);
  const judged = await judgeRound(task, outcome);
  const isPlainStart = outcome.kind === "task" && answersUnderWay(task.work).length === 0;
  const stored = await storeOutcome(ctx, task, async (tx) => {
    // A task that is still `starting` needs no lock first: this write expects that state.
    if (isPlainStart && (await storeTask(ctx, tx, task, attempt, outcome.task, true))) return true;
    if (!(await lockAwaited(tx, connectionId, task.id, attempt))) return false;
    await confirmTaken(tx, task);
    if (outcome.kind === "input_required" && outcome.questions.length > OPEN_QUESTIONS)
      await endTask(tx, task.id, { state: "failed", error: tooManyQuestions(outcome.questions.length) });
    else if (outcome.kind === "input_required") await storeRound(ctx, tx, task, attempt, outcome, judged);
    else if (outcome.kind === "task") await storeTask(ctx, tx, task, attempt, outcome.task);
    else {
      const { result } = outcome;
      const statusMessage = outcomeOf(result).isError ? eraHint(task, JSON.stringify(result)) : null;
      await endTask(tx, task.id, { state: "completed", result, statusMessage });
    }
    return true;
  });
  if (!stored) {
    if (outcome.kind === "task") ctx.name(task, null);
    ctx.log.info({ taskId: task.id, attempt }, "an outcome was not awaited any more");
    return 0;
  }
  // 2025-11-25: the repeated call, maybe days later, opens a session of its own.
  if (outcome.kind === "input_required") await leaveSession(ctx, task);
  // The task is no start any more, so its first poll runs in another lane.
  if (outcome.kind === "task") task.work = { ...task.work, state: "working" };
  return 0;
}

const tooManyQuestions = (count: number) => ({
  code: "server_error",
  message: `The server asks ${count} questions at once. Intray takes ${OPEN_QUESTIONS}.`,
});

/** Returns false if nobody awaits this attempt's outcome. With `onlyStarting`, also false if an open call awaits it. */
function storeTask(
  ctx: WatcherContext,
  tx: Tx,
  watched: WatchedTask,
  attempt: string,
  task: RemoteTask,
  onlyStarting = false,
): Promise<boolean> {
  setCalls(watched, { callId: null });
  const sealed = sealedTask(ctx, watched, task.taskId);
  return markStarted(tx, watched.id, attempt, task, sealed, { onlyStarting });
}

async function afterFailedCall(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
  error: PeerError,
  hasNewAccess: boolean,
): Promise<number> {
  if (error instanceof RecipeFailure) {
    await failCall(ctx, task, { code: "recipe_failed", message: error.message });
    return 0;
  }
  const isRetry = answersUnderWay(task.work).length > 0;
  const isHeld = !task.work.durable;
  if (wasNotRun(error) && (!isHeld || (await startsAgain(ctx, task, attempt)))) {
    const isForgotten = error.code === "session_gone" && leaveIfGone(ctx, task);
    const reread = error.code === "header_mismatch" ? await rereadTool(ctx, task) : null;
    if (reread === "no") return refused(ctx, task, attempt, error);
    const isSettled = isRetry
      ? await waitAgain(ctx, task, attempt, reasonOf(error), error.retryAfterMs)
      : await fencedTransaction(ctx, task, (tx) => markNotStarted(tx, task.id, attempt, reasonOf(error)));
    // An earlier attempt may have run: `resolveStart()` goes on with it.
    if (!isSettled) markStale(task);
    // An old token's refusal says nothing about the new one, whose hint an open call's task got already.
    if (reread === "yes" || (error.code === "unauthorized" && hasNewAccess)) return 0;
    throw isForgotten ? new SessionsForgotten() : error;
  }
  if (error.code === "rejected" || error.code === "not_supported" || (isHeld && wasNotRun(error)))
    return refused(ctx, task, attempt, error);
  if (isHeld && !error.rpcError) return handleBrokenCall(ctx, task, attempt, error.code);
  if (error.rpcError && !(await mayTryAgain(ctx, task, attempt))) {
    const words = error.rpcError.message.slice(0, 2_000);
    await failCall(ctx, task, {
      code: "server_error",
      message: `The server broke down over the call: ${words}`,
    });
    return 0;
  }
  // The tool may have run. `resolveStart()` decides after the attempt's deadline.
  ctx.log.warn({ taskId: task.id, code: error.code }, "the outcome of a start is unknown");
  markStale(task);
  return DEFAULT_POLL_MS;
}

/**
 * Makes an open 2026-07-28 call that did not run a start again. Returns false if the call waits for an answer
 * or has ended.
 */
async function startsAgain(ctx: WatcherContext, task: WatchedTask, attempt: string): Promise<boolean> {
  if (task.work.era !== "2026-07-28") return false;
  return fencedTransaction(ctx, task, (tx) => markRepeating(tx, task.id, attempt));
}

/**
 * Handles a server error on the call. Returns true if a repeatable call may be made again, or if the task was
 * found in the server's list.
 */
async function mayTryAgain(ctx: WatcherContext, task: WatchedTask, attempt: string): Promise<boolean> {
  const { toolHints, cancelRequested } = task.work;
  if (isPlain(task.work)) return false;
  if (mayRepeat(toolHints, cancelRequested)) {
    const brokenCalls = task.calls.brokenCalls + 1;
    setCalls(task, { brokenCalls });
    return brokenCalls < MAX_BROKEN_CALLS;
  }
  return rediscover(ctx, task, attempt);
}

/** Leaves a start of unknown outcome to a person. Returns false where `markStartUnknown` does. */
export async function leaveUnknown(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
  options: { onlyRepeated?: boolean } = {},
): Promise<boolean> {
  const { session } = task;
  // Before the write, of which nobody may learn whether it was committed.
  leaveBehind(task);
  const isLeft = await fencedTransaction(ctx, task, (tx) => markStartUnknown(tx, task.id, attempt, options));
  if (!isLeft) return false;
  dropStreams(ctx, task);
  if (!session) return true;
  // The session stays open on the server, because a task may live in it. The tasks that stay store that at once.
  session.mayHoldMore = true;
  for (const { id } of session.tasks) ctx.wake(id, 0);
  return true;
}

/** Fails the task. A refusal of the repeated call says nothing about the earlier one, unless the tool changes nothing anyway. */
async function refused(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
  error: PeerError,
): Promise<number> {
  const isHarmless = task.work.toolHints?.annotations?.readOnlyHint === true;
  if (!isHarmless && (await leaveUnknown(ctx, task, attempt, { onlyRepeated: true }))) return 0;
  const words = error.rpcError?.message.slice(0, 2_000) ?? "The server refused the call.";
  const hint = eraHint(task, words);
  await failCall(ctx, task, { code: "rejected", message: hint ? `${words}. ${hint}` : words });
  return 0;
}

/**
 * Returns what to do about a tool that takes calls only as tasks of 2025-11-25 but is listed in 2026-07-28 too, where no
 * call can be one. The words are those of the official server package.
 */
function eraHint({ work }: WatchedTask, words: string): string | null {
  return work.era === "2026-07-28" && /requires? task[- ]augment/i.test(words)
    ? "Set the server’s protocol version to 2025-11-25, in which this tool takes calls."
    : null;
}

/**
 * Reads the tool's schema again after a header mismatch: whether the next attempt has a new schema. `later`: the server's tools can't
 * be read now, so the next attempt is refused again, and reads them.
 */
async function rereadTool(ctx: WatcherContext, task: WatchedTask): Promise<"yes" | "no" | "later"> {
  if (task.calls.rereadTool) return "no";
  const peer = await peerOf(ctx, task);
  const options = callOptions(task, ATTEMPT_DEADLINE_MS);
  const tools = await peer.listTools(task.session?.record ?? null, options).catch((error: unknown) => {
    if (!(error instanceof PeerError)) throw error;
    return null;
  });
  if (!tools) return "later";
  setCalls(task, { rereadTool: true });
  const tool = tools.find(({ name }) => name === task.work.tool);
  if (!tool) return "no";
  await fencedTransaction(ctx, task, (tx) => renewInputSchema(tx, task.id, tool.inputSchema));
  return "yes";
}

/** Returns why a call was not made, worded for people. */
export function reasonOf(error: PeerError): { code: string; message: string } {
  if (error.neededScope !== null) return NEEDS_RIGHTS;
  const hasWords =
    error instanceof EntryGone || error instanceof SignInNeeded || error instanceof TokensUnreadable;
  const message = hasWords ? error.message : REASONS[error.code];
  return { code: error.code, message: message ?? NOT_REACHED };
}

export const SESSIONS_FULL = {
  code: "sessions_full",
  message: "The server allows no further session; the task starts when another one ends.",
};
const NEEDS_RIGHTS = {
  code: "unauthorized",
  message: "The server asks for more rights than the connection has.",
};
const REASONS: Record<string, string> = {
  unauthorized: "The server refuses our credentials.",
  rate_limited: "The server is busy; the task starts when it takes calls again.",
  sessions_full: SESSIONS_FULL.message,
};
