/**
 * What the engine does to tasks. The caller holds the fence of the connection. Each write carries the state (and for
 * a start the attempt) it expects, and answers whether it was made.
 */
import { announce } from "../changes/transitions.ts";
import { storable, storableText, type Tx } from "../db.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../events/transitions.ts";
import { settleAtEnd } from "../input-requests/capture.ts";
import type { Era, RemoteTask } from "../mcp/peer.ts";
import type { TaskState } from "./schema.ts";
import { outcomeOf } from "./status.ts";

/** An end of a task, by the server's account or by ours. */
export interface TaskEnd {
  state: "completed" | "failed" | "cancelled" | "lost" | "expired";
  statusMessage?: string | null;
  result?: unknown;
  error?: { code: string; message: string } | null;
  /** What the server says, where it differs from the state. */
  serverState?: string | null;
  /** Keep looking at the server's side this long, in ms (a task cancelled here that runs on there). */
  watchForMs?: number;
}

/** Commits the one attempt at the call before it is made. False: not queued any more, or cancelled. */
export async function markStarting(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attempt: { id: string; deadlineMs: number; era: Era; sealedSession: string | null },
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'starting', attempt_id = ${attempt.id}::uuid, attempt_at = now(),
      attempt_deadline_at = now() + ${attempt.deadlineMs} * interval '1 ms', era = ${attempt.era},
      sealed_session = ${attempt.sealedSession}, error = NULL, changed_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'queued'
      AND cancel_requested_at IS NULL`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [{ type: "task.starting", data: { attempt: attempt.id } }]);
  return true;
}

/** A new attempt where the last one's outcome does not matter: the call may be repeated. */
export async function renewAttempt(
  organizationId: string,
  tx: Tx,
  taskId: string,
  last: string,
  attempt: { id: string; deadlineMs: number; sealedSession: string | null },
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET attempt_id = ${attempt.id}::uuid, attempt_at = now(), sealed_session = ${attempt.sealedSession},
      attempt_deadline_at = now() + ${attempt.deadlineMs} * interval '1 ms'
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${last}::uuid`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [
    { type: "task.starting", data: { attempt: attempt.id, repeats: last } },
  ]);
  return true;
}

/** The call is known not to have reached the server. A cancel that came meanwhile is carried out here. */
export async function markNotStarted(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
  why: { code: string; message: string },
): Promise<boolean> {
  const rows = await tx.$queryRaw<{ state: string }[]>`
    UPDATE task SET error = ${JSON.stringify(storable(why))}::jsonb, changed_at = now(), attempt_id = NULL,
      state = CASE WHEN cancel_requested_at IS NULL THEN 'queued' ELSE 'cancelled' END,
      watched = (cancel_requested_at IS NULL),
      finished_at = CASE WHEN cancel_requested_at IS NULL THEN NULL ELSE now() END
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid RETURNING state`;
  if (!rows[0]) return false;
  const type = rows[0].state === "cancelled" ? "task.cancelled" : "task.not_started";
  await record(organizationId, tx, taskId, [{ type, data: { code: why.code, message: why.message } }]);
  return true;
}

/** Why a queued task waits: its server can't be reached, or refuses us. */
export async function noteWaiting(
  organizationId: string,
  tx: Tx,
  taskId: string,
  why: { code: string; message: string },
): Promise<void> {
  const reason = JSON.stringify(storable(why));
  const noted = await tx.$executeRaw`UPDATE task SET error = ${reason}::jsonb
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'queued'
      AND error IS DISTINCT FROM ${reason}::jsonb`;
  if (noted === 1) await announce(organizationId, tx, "task", [taskId]);
}

/** The server made the task: its handle is stored. What it said of its state is applied by the next step. */
export async function markStarted(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
  remote: RemoteTask,
  sealed: { handle: string; session: string | null },
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'working', sealed_handle = ${sealed.handle}, sealed_session = ${sealed.session},
      error = NULL, started_at = now(), changed_at = now(), ttl_ms = ${remote.ttlMs}::bigint,
      status_message = ${text(remote.statusMessage)}, poll_interval_ms = ${wholeMs(remote.pollIntervalMs)}::integer,
      expires_at = now() + ${remote.ttlMs}::float8 * interval '1 ms'
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [
    { type: "task.started", data: { statusMessage: remote.statusMessage, ttlMs: remote.ttlMs } },
  ]);
  return true;
}

/** The outcome of the call can't be known: a person decides. Never a second call. */
export async function markStartUnknown(
  organizationId: string,
  tx: Tx,
  taskId: string,
  attemptId: string,
): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE task SET state = 'start_unknown', watched = false, changed_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND state = 'starting'
      AND attempt_id = ${attemptId}::uuid`;
  if (marked !== 1) return false;
  await record(organizationId, tx, taskId, [{ type: "task.start_unknown" }]);
  return true;
}

/** News of a running task. Only what changed is written; false: nothing did. */
export async function recordStatus(
  organizationId: string,
  tx: Tx,
  taskId: string,
  news: Pick<RemoteTask, "statusMessage" | "ttlMs" | "pollIntervalMs"> & {
    state: "working" | "input_required";
  },
): Promise<boolean> {
  const rows = await tx.$queryRaw<{ before: TaskState; message: string | null }[]>`
    UPDATE task t SET state = ${news.state}, status_message = ${text(news.statusMessage)}, changed_at = now(),
      ttl_ms = ${news.ttlMs}::bigint, poll_interval_ms = ${wholeMs(news.pollIntervalMs)}::integer,
      expires_at = t.started_at + ${news.ttlMs}::float8 * interval '1 ms'
    FROM task was WHERE was.organization_id = t.organization_id AND was.id = t.id
      AND t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid
      AND t.state IN ('working', 'input_required')
      AND (t.state, t.status_message, t.ttl_ms, t.poll_interval_ms) IS DISTINCT FROM
        (${news.state}, ${text(news.statusMessage)}, ${news.ttlMs}::bigint, ${wholeMs(news.pollIntervalMs)}::integer)
    RETURNING was.state AS before, was.status_message AS message`;
  const was = rows[0];
  if (!was) return false;
  const events: Pick<NewEvent, "type" | "data">[] = [];
  if (was.before !== news.state)
    events.push({ type: "task.state", data: { from: was.before, to: news.state } });
  if (was.message !== text(news.statusMessage))
    events.push({ type: "task.status", data: { statusMessage: news.statusMessage } });
  await record(organizationId, tx, taskId, events);
  return true;
}

/** Ends a task and settles its requests, in one transaction. False: it had ended before. */
export async function endTask(
  organizationId: string,
  tx: Tx,
  taskId: string,
  end: TaskEnd,
): Promise<boolean> {
  const { outcome, isError } = outcomeOf(end.result);
  const result = end.result === undefined ? null : JSON.stringify(storable(end.result));
  const ended = await tx.$executeRaw`
    UPDATE task SET state = ${end.state}, finished_at = now(), changed_at = now(),
      watched = ${end.watchForMs !== undefined}, watch_until = now() + ${end.watchForMs ?? null}::float8 * interval '1 ms',
      status_message = coalesce(${text(end.statusMessage ?? null)}, status_message), progress = NULL,
      outcome = ${text(outcome)}, outcome_is_error = ${isError}, result = ${result}::json,
      error = ${end.error ? JSON.stringify(storable(end.error)) : null}::jsonb, server_state = ${end.serverState ?? null}
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid
      AND state IN ('starting', 'working', 'input_required')`;
  if (ended !== 1) return false;
  const settled = await settleAtEnd(organizationId, tx, taskId, end.state);
  await announce(organizationId, tx, "task", [taskId]);
  await appendEvents(organizationId, tx, [
    ...settled,
    {
      type: `task.${end.state}`,
      actor: ENGINE_ACTOR,
      taskId,
      data: {
        outcome,
        isError,
        ...(end.error && end.error),
        ...(end.serverState && { serverState: end.serverState }),
      },
    },
  ]);
  return true;
}

/** The server was told of the cancel. */
export async function markCancelSent(organizationId: string, tx: Tx, taskId: string): Promise<void> {
  const sent = await tx.$executeRaw`UPDATE task SET cancel_sent_at = now()
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid AND cancel_sent_at IS NULL`;
  if (sent === 1) await record(organizationId, tx, taskId, [{ type: "task.cancel_sent" }]);
}

/** What the server says of a task that has ended here; noted beside it, never applied. */
export async function noteServerState(
  organizationId: string,
  tx: Tx,
  taskId: string,
  serverState: string,
  keepWatching: boolean,
): Promise<void> {
  const rows = await tx.$queryRaw<{ fresh: boolean }[]>`
    UPDATE task t SET server_state = ${serverState}, watched = ${keepWatching} AND t.watch_until > now()
    FROM task was WHERE was.organization_id = t.organization_id AND was.id = t.id
      AND t.organization_id = ${organizationId}::uuid AND t.id = ${taskId}::uuid AND t.finished_at IS NOT NULL
    RETURNING was.server_state IS DISTINCT FROM t.server_state AS fresh`;
  if (rows[0]?.fresh)
    await record(organizationId, tx, taskId, [{ type: "task.server_state", data: { serverState } }]);
}

/** The session a 2025-11-25 task lives in, replaced where the server forgot the last one. */
export async function storeSession(
  organizationId: string,
  tx: Tx,
  taskId: string,
  sealedSession: string,
): Promise<void> {
  await tx.$executeRaw`UPDATE task SET sealed_session = ${sealedSession}
    WHERE organization_id = ${organizationId}::uuid AND id = ${taskId}::uuid`;
}

export interface WatchTimes {
  taskId: string;
  lastCheckedAt: Date;
  nextCheckAt: Date;
  unchangedPolls: number;
}

/** Writes what polls left in memory: one statement for all tasks of a watcher. */
export async function flushWatchTimes(organizationId: string, tx: Tx, times: WatchTimes[]): Promise<void> {
  if (times.length === 0) return;
  await tx.$executeRaw`
    UPDATE task_watch w SET last_checked_at = n.checked, next_check_at = n.next, unchanged_polls = n.polls
    FROM unnest(${times.map((t) => t.taskId)}::uuid[], ${times.map((t) => t.lastCheckedAt)}::timestamptz[],
      ${times.map((t) => t.nextCheckAt)}::timestamptz[], ${times.map((t) => t.unchangedPolls)}::integer[])
      AS n (id, checked, next, polls)
    WHERE w.organization_id = ${organizationId}::uuid AND w.task_id = n.id`;
}

async function record(
  organizationId: string,
  tx: Tx,
  taskId: string,
  events: Pick<NewEvent, "type" | "data">[],
): Promise<void> {
  await announce(organizationId, tx, "task", [taskId]);
  await appendEvents(
    organizationId,
    tx,
    events.map((event) => ({ ...event, actor: ENGINE_ACTOR, taskId })),
  );
}

function text(value: string | null): string | null {
  return value === null ? null : storableText(value);
}

/** Whole ms within Postgres' integer, whatever a server says. */
function wholeMs(value: number | null): number | null {
  return value === null || !Number.isFinite(value)
    ? null
    : Math.min(2_147_483_647, Math.max(0, Math.round(value)));
}
