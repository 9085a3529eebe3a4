/** The one call with side effects, from its first byte to its reply, however long that takes. */
import { setTimeout as sleep } from "node:timers/promises";
import type { TaskWork } from "../../lifecycle/engine-task.ts";
import type { AnswerBody, Peer, StartOutcome, StreamListener } from "../../mcp/peer.ts";
import type { PeerError } from "../../mcp/peer-error.ts";
import { DEAF } from "../../mcp/tool-calls.ts";
import { MAX_TIMER_MS } from "../../mcp/wire/deadline.ts";
import { MAX_TTL_MS } from "../../tasks/task-schema.ts";
import { isRepeatable } from "../../tasks/task-status.ts";
import { listenerOf } from "../sessions/listener.ts";
import { ASKED_GRACE_MS, CALL_DEADLINE_MS, HANDLE_REPLY_MS, REPEATABLE_REPLY_MS } from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import {
  type CallOutcome,
  type LiveSession,
  type OpenCall,
  setCalls,
  type WatchedTask,
} from "../watcher/watched-task.ts";
import { openRequestState } from "./task-secrets.ts";

/** Makes the call. The attempt must be committed, and `mayChange()` have resolved. */
export function sendCall(ctx: WatcherContext, task: WatchedTask, attempt: string, peer: Peer): OpenCall {
  const { work, session } = task;
  const args = work.arguments;
  if (args === null) throw new Error(`the call of task ${task.id} was made before`);
  setCalls(task, { callId: null, ownEventId: null, tries: task.calls.tries + 1 });
  return hold(ctx, task, attempt, null, (signal) =>
    peer.start(
      session?.record ?? null,
      {
        tool: work.tool,
        arguments: args,
        ttlMs: work.requestedTtlMs === null ? null : Math.min(work.requestedTtlMs, MAX_TTL_MS),
        // All attempts share one key, so that a server which honours keys makes one task of them.
        idempotencyKey: task.id,
        taskSupport: work.toolHints?.taskSupport,
        inputSchema: work.toolHints?.inputSchema ?? undefined,
        retry: retryOf(ctx, task),
        onCall(callId) {
          setCalls(task, { callId });
          task.idsChanged = true;
        },
      },
      listenerFor(ctx, task, session),
      { ...callOptions(task, CALL_DEADLINE_MS), replyWithinMs: patienceFor(task), signal },
    ),
  );
}

/** Returns whether the call may be the task itself. A 2026-07-28 server decides that on each call. A recipe's calls never are. */
export function mayBeHeld(work: TaskWork): boolean {
  return work.recipeVersion === null && (work.era === "2026-07-28" || isPlain(work));
}

/** Returns whether the tool never runs as a task. */
export function isPlain(work: TaskWork): boolean {
  return work.toolHints?.taskSupport === "forbidden";
}

/** Returns how long to wait for a reply, in ms; short where a repeat brings the same task. */
function patienceFor({ work, calls: { tries } }: WatchedTask): number {
  if (isPlain(work)) return MAX_TIMER_MS;
  if (mayRepeat(work.toolHints, work.cancelRequested))
    return Math.min(MAX_TIMER_MS, REPEATABLE_REPLY_MS * 2 ** Math.min(tries, 20));
  return mayBeHeld(work) ? MAX_TIMER_MS : HANDLE_REPLY_MS;
}

/** Resumes a call of another process, if the server can replay the missed events. */
export function resumeCall(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
  from: { callId: number; eventId: string },
): OpenCall {
  const { session } = task;
  if (!session) throw new Error(`the call of task ${task.id} has no session`);
  return hold(ctx, task, attempt, from.callId, (signal) =>
    ctx
      .peer("2025-11-25")
      .resume(session.record, from.eventId, from.callId, listenerFor(ctx, task, session), {
        ...callOptions(task, CALL_DEADLINE_MS),
        replyWithinMs: MAX_TIMER_MS,
        signal,
      }),
  );
}

/** Waits for a reply as long as making a task takes. Returns null if none comes, or soon after a question. */
export async function promptOutcome(call: OpenCall): Promise<CallOutcome | null> {
  const over = new AbortController();
  const patience = async () => {
    const end = performance.now() + CALL_DEADLINE_MS;
    const wait = (ms: number) => sleep(ms, null, { signal: over.signal, ref: false }).catch(() => null);
    while (performance.now() < end && !call.hasAsked && !over.signal.aborted) await wait(50);
    // A question's answer must not wait for the reply, but some questions come just before the handle.
    if (call.hasAsked) await wait(ASKED_GRACE_MS);
    return null;
  };
  const first = await Promise.race([call.done, patience()]);
  over.abort();
  return first;
}

function hold(
  ctx: WatcherContext,
  task: WatchedTask,
  attempt: string,
  resumedId: number | null,
  make: (signal: AbortSignal) => Promise<StartOutcome>,
): OpenCall {
  const dropped = new AbortController();
  const { renewals } = ctx;
  // The async wrapper turns a synchronous throw, as for a disallowed address, into an outcome.
  const made = (async () => make(dropped.signal))();
  const done = made.then(
    (outcome): CallOutcome => ({ outcome }),
    (error: unknown): CallOutcome => ({ error, hasNewAccess: ctx.renewals !== renewals }),
  );
  const resumed = resumedId === null ? null : { callId: resumedId, at: performance.now() };
  const close = () => dropped.abort();
  const call: OpenCall = {
    attempt,
    at: performance.now(),
    done,
    result: null,
    hasAsked: false,
    resumed,
    close,
  };
  void done.then((result) => {
    call.result = result;
    setCalls(task, { callsAt: Number.NEGATIVE_INFINITY });
    // The stream ended with its reply, so nothing is left to replay.
    if ("outcome" in result) setCalls(task, { ownEventId: null });
    ctx.wake(task.id, 0);
  });
  return call;
}

/** Returns the answers that a multi round trip's repeated call carries; undefined for a first call. */
function retryOf(ctx: WatcherContext, task: WatchedTask) {
  const answers = answersUnderWay(task.work);
  if (answers.length === 0) return undefined;
  return { inputResponses: Object.fromEntries(answers), requestState: openRequestState(ctx, task) };
}

export function answersUnderWay(work: TaskWork): [key: string, answer: AnswerBody][] {
  return work.requests.flatMap(({ key, delivery }) =>
    delivery?.state === "sending"
      ? [[key, { action: delivery.action, ...(delivery.content && { content: delivery.content }) }]]
      : [],
  );
}

function listenerFor(ctx: WatcherContext, task: WatchedTask, session: LiveSession | null): StreamListener {
  return session ? listenerOf(ctx, session, task, () => undefined) : DEAF;
}

/**
 * Returns whether a call of unknown outcome may be repeated, by the tool's own hints. A cancelled call is
 * repeated only to learn which task to cancel.
 */
export function mayRepeat(hints: TaskWork["toolHints"], cancelRequested: boolean): boolean {
  if (hints?.honoursIdempotencyKey) return true;
  return !cancelRequested && isRepeatable(hints?.annotations);
}

/** Returns whether the call certainly did not run. */
export function wasNotRun(error: PeerError): boolean {
  return (
    error.reached === "no" ||
    ["unauthorized", "rate_limited", "session_gone", "header_mismatch"].includes(error.code)
  );
}
