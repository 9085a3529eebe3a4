/** Finds the task made by a call whose reply was lost, in the server's task list. */

import { markStarted, otherUnknownStarts } from "../../lifecycle/call-attempt-writes.ts";
import { keepCandidate, ourTime, unknownAmong } from "../../lifecycle/found-tasks/found-task-writes.ts";
import type { RemoteTask, TaskList } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { joinSession, renewSession } from "../sessions/session-moves.ts";
import { ATTEMPT_DEADLINE_MS, POLL_DEADLINE_MS } from "../tunables.ts";
import { callOptions, type WatcherContext } from "../watcher/context.ts";
import { fencedTransaction } from "../watcher/fenced-writes.ts";
import type { WatchedTask } from "../watcher/watched-task.ts";
import { restoreSession, sealedTask } from "./task-secrets.ts";

/** Maximum number of listed tasks read. */
const LIST_LIMIT = 1_000;
/** Tolerance for `Date` headers, which have whole seconds, and for clock drift. */
const MARGIN_MS = 2_000;

/**
 * Adopts the only listed task that fits this start and returns true. Otherwise stores the candidates for a
 * person to choose from and returns false. 2026-07-28 servers list no tasks.
 */
export async function rediscover(ctx: WatcherContext, task: WatchedTask, attempt: string): Promise<boolean> {
  if (task.work.era !== "2025-11-25") return false;
  const listed = await list(ctx, task);
  ctx.learn({ listsTasks: listed !== null });
  if (!listed) return false;
  const { connectionId, seal } = ctx;
  const { unknown, others } = await ctx.read(async (tx) => {
    // In this order: the handle of a start that is over by the first read is known to the second.
    const others = await otherUnknownStarts(tx, connectionId, task.id);
    return { others, unknown: await unknownAmong(tx, seal, connectionId, listed.tasks) };
  });
  const attemptAgoMs = (task.work.attemptAgoMs ?? 0) + (performance.now() - task.loadedAt);
  const call = { attemptAt: Date.now() - attemptAgoMs, clockOffsetMs: listed.clockOffsetMs };
  const fitting = fittingTasks(unknown, call);
  const [only] = fitting;
  if (only && fitting.length === 1 && others === 0) {
    ctx.name(task, only.taskId);
    const sealed = sealedTask(ctx, task, only.taskId);
    return fencedTransaction(ctx, task, (tx) =>
      markStarted(tx, task.id, attempt, only, sealed, { adopted: true }),
    );
  }
  // Tasks made later, or without a creation time, are candidates too, because a server may be slow.
  const candidates = unknown.filter(
    ({ createdAt }) =>
      createdAt === null || Date.parse(createdAt) >= call.attemptAt + (call.clockOffsetMs ?? 0) - MARGIN_MS,
  );
  await fencedTransaction(ctx, task, async (tx) => {
    for (const remote of candidates)
      await keepCandidate(
        tx,
        seal,
        { connectionId, taskId: task.id },
        {
          remote,
          session: task.session && JSON.stringify(task.session.record),
          createdAt: ourTime(remote.createdAt, listed.clockOffsetMs),
        },
      );
  });
  return false;
}

/**
 * Lists tasks in the call's session, to which tasks may be bound, or in a new one if the server forgot that.
 * Returns null if the server does not list tasks, or without a session.
 */
async function list(ctx: WatcherContext, task: WatchedTask): Promise<TaskList | null> {
  const peer = ctx.peer("2025-11-25");
  const session = restoreSession(ctx, task) ?? (await joinSession(ctx, task));
  if (!session) return null;
  try {
    return await peer.list(session.record, LIST_LIMIT, callOptions(task, POLL_DEADLINE_MS));
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    if (error.code === "session_gone") {
      await renewSession(ctx, task);
      return peer.list(task.session!.record, LIST_LIMIT, callOptions(task, POLL_DEADLINE_MS));
    }
    if (error.reached !== "yes" || ["unauthorized", "rate_limited"].includes(error.code)) throw error;
    // Any other refusal means that the server does not list tasks.
    return null;
  }
}

/** Returns the tasks created while the call could make one, by the server's clock. Pure. */
function fittingTasks(
  tasks: RemoteTask[],
  call: { attemptAt: number; clockOffsetMs: number | null },
): RemoteTask[] {
  const from = call.attemptAt + (call.clockOffsetMs ?? 0);
  return tasks.filter(({ createdAt }) => {
    const at = createdAt === null ? Number.NaN : Date.parse(createdAt);
    return at >= from - MARGIN_MS && at <= from + ATTEMPT_DEADLINE_MS + MARGIN_MS;
  });
}
