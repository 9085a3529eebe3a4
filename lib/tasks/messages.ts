import { readSequence, toPage } from "../base/cursor.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { containing } from "../base/db/search.ts";
import type { Page } from "../base/page.ts";
import { type TaskMessage, type TaskMessageQuery, taskMessageSchema } from "./schema.ts";

/** Most messages of a task in one millisecond. */
const MOST_AT_ONCE = 1_000;

/**
 * A task's protocol messages, oldest first unless asked otherwise. The caller has checked that the task may
 * be seen. A search reads all of them, since a task has few (lib/protocol-messages).
 */
export async function listMessages(
  organizationId: string,
  tx: Tx,
  taskId: string,
  query: TaskMessageQuery,
): Promise<Page<TaskMessage>> {
  const after = readSequence(query.cursor);
  const newest = query.order === "newest";
  const conditions = [Prisma.sql`true`];
  if (after !== null) conditions.push(newest ? Prisma.sql`place < ${after}` : Prisma.sql`place > ${after}`);
  if (query.direction) conditions.push(Prisma.sql`direction = ${query.direction}`);
  if (query.method) conditions.push(Prisma.sql`method = ${query.method}`);
  if (query.q?.trim()) {
    const pattern = containing(query.q);
    conditions.push(Prisma.sql`(method ILIKE ${pattern} OR body::text ILIKE ${pattern})`);
  }
  const rows = await tx.$queryRaw<MessageRow[]>`
    SELECT place, at, direction, method, body FROM (
      SELECT at, direction, method, body, (extract(epoch FROM at) * 1000)::bigint * ${MOST_AT_ONCE}
        + row_number() OVER (PARTITION BY at ORDER BY id) AS place
      FROM protocol_message WHERE organization_id = ${organizationId}::uuid AND task_id = ${taskId}::uuid) message
    WHERE ${Prisma.join(conditions, " AND ")}
    ORDER BY place ${newest ? Prisma.sql`DESC` : Prisma.sql`ASC`} LIMIT ${query.limit + 1}`;
  return toPage(
    rows,
    query.limit,
    (row) => row.place,
    ({ at, direction, method, body }) =>
      taskMessageSchema.parse({ at: at.toISOString(), direction, method, body }),
  );
}

/** The distinct methods of a task's messages, by name. */
export async function listMethods(organizationId: string, tx: Tx, taskId: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ method: string }[]>`
    SELECT DISTINCT method FROM protocol_message
    WHERE organization_id = ${organizationId}::uuid AND task_id = ${taskId}::uuid ORDER BY method`;
  return rows.map((row) => row.method);
}

interface MessageRow {
  /**
   * The time, and the rank within that millisecond. Cursors carry this number, since the row's id would
   * reveal the count of messages of all organizations.
   */
  place: bigint;
  at: Date;
  direction: string;
  method: string;
  body: unknown;
}
