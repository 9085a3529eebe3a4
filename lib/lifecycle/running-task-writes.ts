/**
 * The engine's writes to running tasks; end-task.ts ends them. The caller holds the connection's fence, except to
 * store a call's outcome after it has checked the attempt. Writes that change the state expect the old one.
 */

import { contentOf } from "../base/content/content-keys.ts";
import { Prisma, storable, type Tx } from "../base/db/db.ts";
import { publishChange } from "../base/live-updates.ts";
import { appendEvents, ENGINE_ACTOR, type NewEvent } from "../history/events/event-writes.ts";
import type { RemoteTask } from "../mcp/peer.ts";
import type { TaskState } from "../tasks/task-status.ts";
import { record, text, wholeMs } from "./task-write-helpers.ts";
import { moveTimeLimits, timeLimit } from "./time-limit.ts";

export type StatusChange = Pick<RemoteTask, "statusMessage" | "ttlMs" | "pollIntervalMs"> & {
  state: "working" | "input_required";
  /** As `RemoteTask.isUnknown`. */
  isUnknown?: boolean;
  /** Writes only if the stored message is still this one, and the task has the change's state already. */
  replaces?: string | null;
};

/** Stores changes in a running task's status. Returns false if nothing changed. */
export async function recordStatus(tx: Tx, taskId: string, change: StatusChange): Promise<boolean> {
  return (await recordStatuses(tx, [{ ...change, taskId }])) > 0;
}

/** Stores status changes of distinct tasks, in three statements for any number. Returns how many changed. */
export async function recordStatuses(
  tx: Tx,
  changes: (StatusChange & { taskId: string })[],
): Promise<number> {
  const content = contentOf(tx);
  const rows = changes.map(
    ({ taskId, state, statusMessage, isUnknown, ttlMs, pollIntervalMs, replaces }) => ({
      id: taskId,
      guarded: replaces !== undefined,
      // Stored plainly, or sealed: as it was when the message was stored.
      replaces: text(replaces ?? null),
      replaces_sealed: content.text("task.status_message", taskId, text(replaces ?? null)),
      state,
      message: content.text("task.status_message", taskId, text(statusMessage)),
      said: text(statusMessage),
      unknown: isUnknown === true,
      ttl: ttlMs,
      poll: wholeMs(pollIntervalMs),
    }),
  );
  // Rows are locked in the order of their ids, so that concurrent writers never deadlock.
  const changed = await tx.$queryRaw<ChangedStatus[]>`
    WITH news AS (SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json)
        AS n(id uuid, guarded boolean, replaces text, replaces_sealed text, state text, message text, "unknown" boolean, ttl float8, poll integer)),
      was AS MATERIALIZED (SELECT t.id, t.state, t.status_message, t.expires_at FROM task t
        WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ANY (ARRAY(SELECT id FROM news))
          AND t.state IN ('working', 'input_required') ORDER BY t.id FOR NO KEY UPDATE)
    UPDATE task t SET state = news.state, status_message = news.message, changed_at = now(),
      ttl_ms = news.ttl::bigint, poll_interval_ms = news.poll,
      unknown_since = CASE WHEN news."unknown" THEN coalesce(t.unknown_since, now()) END,
      expires_at = ${timeLimit(Prisma.sql`t.started_at`, Prisma.sql`news.ttl`)}
    FROM was, news WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = was.id AND t.id = news.id
      AND t.state IN ('working', 'input_required')
      AND (t.state, t.status_message, t.ttl_ms, t.poll_interval_ms, t.unknown_since IS NOT NULL) IS DISTINCT FROM
        (news.state, news.message, news.ttl::bigint, news.poll, news."unknown")
      AND (NOT news.guarded OR (t.state = news.state AND (t.status_message IS NOT DISTINCT FROM news.replaces
        OR t.status_message = news.replaces_sealed)))
    RETURNING t.id, was.state AS before, was.status_message AS was, was.expires_at AS "expiredAt",
      t.expires_at AS "expiresAt"`;
  const events = changed.flatMap(({ id, before, was }): NewEvent[] => {
    const now = rows.find((row) => row.id === id)!;
    const line = { actor: ENGINE_ACTOR, taskId: id };
    return [
      ...(before !== now.state
        ? [{ type: "task.state" as const, ...line, data: { from: before, to: now.state } }]
        : []),
      ...(was !== now.said
        ? [{ type: "task.status" as const, ...line, data: { statusMessage: now.said } }]
        : []),
    ];
  });
  await moveTimeLimits(
    tx,
    changed.map(({ id, expiredAt, expiresAt }) => ({ taskId: id, was: expiredAt, now: expiresAt })),
  );
  await publishChange(
    tx,
    "task",
    changed.map(({ id }) => id),
  );
  await appendEvents(tx, events);
  return changed.length;
}

interface ChangedStatus {
  id: string;
  before: TaskState;
  was: string | null;
  expiredAt: Date | null;
  expiresAt: Date | null;
}

/**
 * Stores that the server received the cancel; of one that is sent `once`, before its first byte. Returns false if that was
 * stored before.
 */
export async function markCancelSent(tx: Tx, taskId: string, once: boolean): Promise<boolean> {
  const sent = await tx.$executeRaw`UPDATE task SET cancel_sent_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND cancel_sent_at IS NULL`;
  if (sent === 1) await record(tx, taskId, [{ type: "task.cancel_sent", ...(once && { data: { once } }) }]);
  return sent === 1;
}

/** Has a cancel sent again whose attempt certainly did nothing. */
export async function markCancelUnsent(tx: Tx, taskId: string): Promise<void> {
  await tx.$executeRaw`UPDATE task SET cancel_sent_at = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid AND finished_at IS NULL`;
}

/** Notes the server's state of a task that has ended here, without applying it. */
export async function noteServerState(
  tx: Tx,
  taskId: string,
  serverState: string,
  keepWatching: boolean,
): Promise<void> {
  const rows = await tx.$queryRaw<{ fresh: boolean }[]>`
    UPDATE task t SET server_state = ${serverState}, watched = ${keepWatching} AND t.watch_until > now()
    FROM task was WHERE was.organization_id = t.organization_id AND was.id = t.id
      AND t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND t.finished_at IS NOT NULL
    RETURNING was.server_state IS DISTINCT FROM t.server_state AS fresh`;
  if (rows[0]?.fresh) await record(tx, taskId, [{ type: "task.server_state", data: { serverState } }]);
}

/** Stores the session of a 2025-11-25 task, sealed. */
export async function storeSession(tx: Tx, taskId: string, sealedSession: string): Promise<void> {
  await tx.$executeRaw`UPDATE task SET sealed_session = ${sealedSession}
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid`;
}

/** Stores progress, without a history line, and hints watchers of the task. */
export async function recordProgress(
  tx: Tx,
  taskId: string,
  progress: { progress: number; total: number | null; message: string | null },
): Promise<void> {
  const stored = JSON.stringify(contentOf(tx).json("task.progress", taskId, storable(progress)));
  const moved = await tx.$executeRaw`UPDATE task SET progress = ${stored}::jsonb
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${taskId}::uuid
      AND state IN ('working', 'input_required')`;
  if (moved === 1) await publishChange(tx, "task", [taskId]);
}

export interface WatchTimes {
  taskId: string;
  lastCheckedAt: Date;
  nextCheckAt: Date;
  unchangedPolls: number;
}

/** Stores check times of a watcher's tasks in one statement. */
export async function flushWatchTimes(tx: Tx, times: WatchTimes[]): Promise<void> {
  if (times.length === 0) return;
  await tx.$executeRaw`
    UPDATE task_watch w SET last_checked_at = n.checked, next_check_at = n.next, unchanged_polls = n.polls
    FROM unnest(${times.map((t) => t.taskId)}::uuid[], ${times.map((t) => t.lastCheckedAt)}::timestamptz[],
      ${times.map((t) => t.nextCheckAt)}::timestamptz[], ${times.map((t) => t.unchangedPolls)}::integer[])
      AS n (id, checked, next, polls)
    WHERE w.organization_id = ${tx.organizationId}::uuid AND w.task_id = n.id`;
}
