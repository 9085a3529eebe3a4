/** The stream of a task's own, held by its `tasks/result`, on which the server asks. */
import type { Stream, StreamListener } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { MAX_TIMER_MS } from "../../mcp/wire/deadline.ts";
import { taskRef } from "../task/task-secrets.ts";
import {
  CALL_DEADLINE_MS,
  CALLER_WAIT_MS,
  QUESTION_RETRY_CAP_MS,
  QUESTION_RETRY_MS,
  QUESTION_WAIT_MS,
} from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import { learnFromSilence } from "../watcher/learning.ts";
import { clockMs, type LiveSession, setCalls, setCold, type WatchedTask } from "../watcher/watched-task.ts";
import { listenerOf } from "./listener.ts";
import { endTurn, takeTurn } from "./sessions.ts";
import { openBeside } from "./standalone-stream.ts";

/**
 * A stream that brought a question stays for the next ones, as with the protocol's own clients: servers on their package 1.x
 * take what they say of a task from a queue, and what goes to a stream that was dropped is lost. Not where the server asks
 * again by itself, nor beyond the time in which the session is listened to at all, since a person may take weeks.
 */
export function keepsResultStream(
  ctx: WatcherContext,
  task: WatchedTask,
  session: LiveSession,
  now: number,
): boolean {
  return isAlone(ctx, session) && !ctx.traits.reissues && now < task.cold.listenUntil;
}

/** Whatever comes on a stream of the session is known to be of the one task, or says of which. */
function isAlone(ctx: WatcherContext, session: LiveSession): boolean {
  return session.tasks.size === 1 || ctx.traits.namesTask === true;
}

/**
 * Holds `tasks/result` while the server may ask for elicitation tasks: some servers send whatever belongs to a task on that
 * stream alone. Not on a session shared with tasks that the server does not name, where an unnamed question on it would
 * count as this task's.
 */
export async function holdForRequests(
  ctx: WatcherContext,
  task: WatchedTask,
  session: LiveSession,
  now: number,
): Promise<void> {
  if (!isAlone(ctx, session) || task.cold.resultStream || now < task.cold.resultStreamAgainAt) return;
  setCold(task, { resultStreamAgainAt: now + QUESTION_WAIT_MS, resultStreamUntil: 0 });
  await openResultStream(ctx, task, session);
}

/** Requests a question known to be pending; learns from the server's silence if none comes. */
export function requestPendingQuestion(ctx: WatcherContext, task: WatchedTask, now: number): Promise<void> {
  return requestFrom(ctx, task, now, true);
}

/**
 * Requests the pending question, at limited intervals. First replays a broken stream of the task, if the
 * server can; later opens `tasks/result` for a while.
 */
export function requestQuestion(ctx: WatcherContext, task: WatchedTask, now: number): Promise<void> {
  return requestFrom(ctx, task, now, false);
}

async function requestFrom(
  ctx: WatcherContext,
  task: WatchedTask,
  now: number,
  isPending: boolean,
): Promise<void> {
  const { session } = task;
  const isOver = now > task.cold.resultStreamUntil;
  if (isOver && !(session && keepsResultStream(ctx, task, session, now))) closeResultStream(ctx, task);
  if (!session || now < task.cold.resultStreamAgainAt || (task.cold.resultStream && !isOver)) return;
  if (!takeTurn(session, task, ctx.traits)) {
    // The task that has the turn wakes the next one, but a call wakes none.
    if (session.asking === null) ctx.wake(task.id, CALLER_WAIT_MS);
    return;
  }
  // An unattributed question may be the one that the server was asked for.
  if (isPending && task.cold.resultStreamUntil > 0 && !ctx.hasUnattributed(session)) {
    setCold(task, { unasked: task.cold.unasked + 1 });
    learnFromSilence(ctx, task);
  }
  const againIn = Math.min(QUESTION_RETRY_CAP_MS, QUESTION_RETRY_MS * 1.5 ** Math.min(task.cold.unasked, 20));
  setCold(task, { resultStreamAgainAt: now + againIn, resultStreamUntil: now + QUESTION_WAIT_MS });
  const replayFrom = task.calls.ownEventId;
  if (replayFrom === null) await openResultStream(ctx, task, session);
  else {
    setCalls(task, { ownEventId: null });
    replay(ctx, task, session, replayFrom);
    // The next request, soon, uses `tasks/result`.
    setCold(task, { resultStreamAgainAt: now + QUESTION_WAIT_MS });
  }
  ctx.wake(task.id, QUESTION_WAIT_MS);
}

async function openResultStream(ctx: WatcherContext, task: WatchedTask, session: LiveSession): Promise<void> {
  await giveUpRequest(ctx, task, session);
  const answered = () => setCalls(task, { resultId: null });
  holdOwn(ctx, task, session, async (listener, signal) => {
    const hearing = {
      ...listener,
      onCall(resultId: number) {
        setCalls(task, { resultId });
        task.idsChanged = true;
      },
      // The wake-up polls the end; the result that came with the stream is fetched again then.
      onResult() {
        answered();
        ctx.wake(task.id, 0);
      },
    };
    const options = { ...callOptions(task, MAX_TIMER_MS), signal };
    try {
      return await ctx.peer("2025-11-25").openResult(taskRef(ctx, task), hearing, options);
    } catch (error) {
      if (error instanceof PeerError && error.reached === "yes") answered();
      throw error;
    }
  });
}

/** Gives up the `tasks/result` whose stream was dropped here or by another process, unless the server replays what it says there. */
export async function giveUpDropped(ctx: WatcherContext, task: WatchedTask): Promise<void> {
  if (task.session && !task.cold.resultStream && task.calls.ownEventId === null)
    await giveUpRequest(ctx, task, task.session);
}

/**
 * Says of the last `tasks/result` that nobody waits for its reply any more: several that wait at servers on the protocol's
 * package 1.x share the task's messages between them. The task, and what it has asked, stay. A server that asks again by
 * itself may take back with the request what it asked by it.
 */
async function giveUpRequest(ctx: WatcherContext, task: WatchedTask, { record }: LiveSession): Promise<void> {
  const { resultId } = task.calls;
  if (resultId === null || ctx.traits.reissues) return;
  setCalls(task, { resultId: null });
  const params = { requestId: resultId, reason: "asked again" };
  await ctx
    .peer("2025-11-25")
    .post(record, { method: "notifications/cancelled", params }, callOptions(task, CALL_DEADLINE_MS))
    .catch((error: unknown) => ctx.log.debug({ err: error, taskId: task.id }, "a request was not given up"));
}

/** Resumes a stream of the task after its last event; servers with an event store replay what was missed. */
function replay(ctx: WatcherContext, task: WatchedTask, liveSession: LiveSession, from: string): void {
  const session = { ...liveSession.record, lastEventId: from };
  holdOwn(ctx, task, liveSession, (listener, signal) =>
    ctx.peer("2025-11-25").listen(
      session,
      // Replayed events have ids too, but the next request uses `tasks/result`.
      { ...listener, onEventId: () => undefined },
      { ...callOptions(task, MAX_TIMER_MS), signal },
    ),
  );
}

/** Opens a stream that may bring the task's question. Not awaited; polls handle refusals. */
function holdOwn(
  ctx: WatcherContext,
  task: WatchedTask,
  session: LiveSession,
  open: (listener: StreamListener, signal: AbortSignal) => Promise<Stream | null>,
): void {
  const over = () => {
    if (task.cold.resultStream !== stream) return;
    setCold(task, { resultStream: null });
    wakeNext(ctx, session, task);
  };
  const stream = openBeside(
    async (signal) => {
      const opened = await open(listenerOf(ctx, session, task, over), signal);
      if (!opened) over();
      return opened;
    },
    (error) => {
      over();
      // Some servers answer at once instead of blocking; their questions come on the standalone stream.
      const isOdd = !(error instanceof PeerError);
      ctx.log[isOdd ? "error" : "debug"]({ err: error, taskId: task.id }, "a stream was refused");
    },
  );
  const earlier = task.cold.resultStream;
  setCold(task, { resultStream: stream });
  earlier?.close();
}

function wakeNext(ctx: WatcherContext, session: LiveSession, task: WatchedTask): void {
  const next = endTurn(session, task);
  if (next) ctx.wake(next.id, 0);
}

/**
 * Resets the count of requests without a question, because one came or is answered. A stream that is kept has time to bring
 * the next one; without one the next request need not wait.
 */
export function resetSilence(task: WatchedTask): void {
  const { resultStream, resultStreamAgainAt } = task.cold;
  setCold(task, {
    unasked: 0,
    resultStreamUntil: 0,
    resultStreamAgainAt: resultStream ? Math.max(resultStreamAgainAt, clockMs() + QUESTION_WAIT_MS) : 0,
  });
}

export function closeResultStream(ctx: WatcherContext, task: WatchedTask): void {
  const { resultStream } = task.cold;
  setCold(task, { resultStream: null });
  resultStream?.close();
  if (task.session) wakeNext(ctx, task.session, task);
}
