/**
 * When a server may forget a task: its ttl, counted from the task's creation in both eras. `expires_at` of
 * tasks and open requests is null for a server that was seen to keep tasks longer.
 */

import { Prisma, type Tx } from "../base/db/db.ts";
import { publishChange } from "../base/live-updates.ts";

/** SQL for the time limit of task `t`, created at `startedAt`; null if its server outlives ttls. */
export function timeLimit(startedAt: Prisma.Sql, ttlMs: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN (SELECT s.traits->>'outlivesTtl' FROM server s
      WHERE s.organization_id = t.organization_id AND s.id = t.server_id) IS DISTINCT FROM 'true'
    THEN ${startedAt} + ${ttlMs} * interval '1 ms' END`;
}

/** Drops a passed time limit because the server still has the task. */
export async function dropTimeLimit(tx: Tx, taskId: string): Promise<void> {
  const [task] = await tx.$queryRaw<{ was: Date }[]>`
    UPDATE task t SET expires_at = NULL FROM task before
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND t.expires_at IS NOT NULL
      AND before.organization_id = t.organization_id AND before.id = t.id RETURNING before.expires_at AS was`;
  if (!task) return;
  await moveTimeLimits(tx, [{ taskId, was: task.was, now: null }]);
  await publishChange(tx, "task", [taskId]);
}

/** Moves open requests' time limits that were their task's, but not a server's own question lifetimes. */
export async function moveTimeLimits(
  tx: Tx,
  moves: { taskId: string; was: Date | null; now: Date | null }[],
): Promise<void> {
  const moved = moves.filter(({ was, now }) => was !== null && was.getTime() !== now?.getTime());
  if (moved.length === 0) return;
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE input_request r SET expires_at = m.now
    FROM unnest(${moved.map(({ taskId }) => taskId)}::uuid[], ${moved.map(({ was }) => was)}::timestamptz[],
      ${moved.map(({ now }) => now)}::timestamptz[]) AS m (task, was, now)
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.task_id = m.task AND r.state = 'open'
      AND r.expires_at = m.was RETURNING r.id`;
  await publishChange(
    tx,
    "input_request",
    rows.map(({ id }) => id),
  );
}
