/** The attempts of one call: each repetition after a failure is a task of its own. */

import type { Principal } from "../access/principal.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { notFound } from "../base/errors.ts";
import { JOINS, summaryOf, type TaskRow, toSummary } from "./row.ts";
import type { TaskSummary } from "./task-schema.ts";
import { visibleTask } from "./visibility.ts";

/** All attempts of the task's call, first one first; at least the task itself. Throws `not_found`. */
export async function listAttempts(
  tx: Tx,
  principal: Principal,
  taskId: string,
): Promise<{ items: TaskSummary[] }> {
  const { organizationId } = tx;
  const own = Prisma.sql`organization_id = ${organizationId}::uuid`;
  // Back to the first, then on: at most ten, each found by an index.
  const rows = await tx.$queryRaw<TaskRow[]>`
    WITH RECURSIVE back AS (
      SELECT id, retry_of, attempt FROM task WHERE ${own} AND id = ${taskId}::uuid
      UNION ALL SELECT p.id, p.retry_of, p.attempt FROM back JOIN task p ON p.organization_id = ${organizationId}::uuid AND p.id = back.retry_of
    ), chain AS (
      (SELECT id FROM back ORDER BY attempt LIMIT 1)
      UNION ALL SELECT n.id FROM chain JOIN task n ON n.organization_id = ${organizationId}::uuid AND n.retry_of = chain.id
    )
    SELECT ${summaryOf(organizationId)} FROM chain JOIN task t ON t.organization_id = ${organizationId}::uuid AND t.id = chain.id ${JOINS}
    WHERE ${visibleTask(principal)} ORDER BY t.attempt`;
  if (!rows.some(({ id }) => id === taskId)) throw notFound("task");
  return { items: rows.map(toSummary(new Date())) };
}
