/** Scoped reads of bulk operations. Operators see each other's, with the tasks that they may see. */
import { z } from "zod";
import type { Actor } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { readSequence, toPage } from "../../base/cursor.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import type { Page, PageQuery } from "../../base/page.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import {
  type BulkItem,
  type BulkOperation,
  bulkItemSchema,
  bulkOperationSchema,
  type ItemState,
} from "./bulk-operation-schema.ts";

/** Throws `not_found`. */
export async function readOperation(tx: Tx, operationId: string): Promise<BulkOperation> {
  const [row] = await tx.$queryRaw<OperationRow[]>`
    SELECT o.id, o.action, o.state, o.actor AS "by", o.items, o.created_at AS "createdAt", o.begun_at AS "begunAt",
      o.ended_at AS "endedAt", (SELECT jsonb_object_agg(c.state, c.count) FROM (
        SELECT i.state, count(*)::integer AS count FROM bulk_item i WHERE i.organization_id = o.organization_id
          AND i.operation_id = o.id GROUP BY i.state) c) AS counts
    FROM bulk_operation o WHERE o.organization_id = ${tx.organizationId}::uuid AND o.id = ${operationId}::uuid`;
  if (!row) throw notFound("bulk operation");
  return bulkOperationSchema.parse({
    ...row,
    counts: { waiting: 0, done: 0, refused: 0, skipped: 0, ...countsSchema.parse(row.counts) },
    createdAt: row.createdAt.toISOString(),
    begunAt: row.begunAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
  });
}

const countsSchema = z.record(z.string(), z.number()).nullable();

interface OperationRow {
  id: string;
  action: string;
  state: string;
  by: unknown;
  items: number;
  createdAt: Date;
  begunAt: Date | null;
  endedAt: Date | null;
  counts: unknown;
}

/** Whether the principal made the operation, which acts in its maker's name. */
export function isMaker(by: Actor, { actor }: Principal): boolean {
  return by.kind === actor.kind && by.id === actor.id;
}

/**
 * Lists items in the order of the frozen list. Other principals than the maker get only items of tasks that
 * they may see. Throws `not_found`.
 */
export async function listItems(
  tx: Tx,
  principal: Principal,
  operationId: string,
  query: PageQuery & { state?: ItemState | undefined },
): Promise<Page<BulkItem>> {
  const operation = await readOperation(tx, operationId);
  const all = isMaker(operation.by, principal);
  const rows = await tx.$queryRaw<ItemRow[]>`
    SELECT i.position, i.task_id AS "taskId", i.state, i.code, i.message, i.done_at AS "doneAt",
      CASE WHEN i.state = 'done' THEN i.new_task_id END AS "newTaskId", t.label, t.tool, t.state AS "taskState",
      s.name AS "serverName"
    FROM bulk_item i
      LEFT JOIN task t ON t.organization_id = i.organization_id AND t.id = i.task_id AND ${visibleTask(principal)}
      LEFT JOIN server s ON s.organization_id = t.organization_id AND s.id = t.server_id
    WHERE i.organization_id = ${tx.organizationId}::uuid AND i.operation_id = ${operationId}::uuid
      AND (${all} OR t.id IS NOT NULL) AND i.position > ${Number(readSequence(query.cursor) ?? -1n)}
      ${query.state ? Prisma.sql`AND i.state = ${query.state}` : Prisma.empty}
    ORDER BY i.position LIMIT ${query.limit + 1}`;
  return toPage(rows, query.limit, (row) => BigInt(row.position), toItem);
}

interface ItemRow {
  position: number;
  taskId: string;
  state: string;
  code: string | null;
  message: string | null;
  doneAt: Date | null;
  newTaskId: string | null;
  label: string | null;
  tool: string | null;
  taskState: string | null;
  serverName: string | null;
}

function toItem({ label, tool, taskState, serverName, doneAt, ...row }: ItemRow): BulkItem {
  return bulkItemSchema.parse({
    ...row,
    task: tool === null ? null : { label, tool, server: serverName, state: taskState },
    doneAt: doneAt?.toISOString() ?? null,
  });
}
