import { PLAIN } from "../base/content/content.ts";
import { contentOf } from "../base/content/content-keys.ts";
import { readSequence, toPage } from "../base/cursor.ts";
import { Prisma, type Tx } from "../base/db/db.ts";
import { containing } from "../base/db/search.ts";
import type { Page } from "../base/page.ts";
import { type TaskMessage, type TaskMessageQuery, taskMessageSchema } from "./task-schema.ts";

/** Most messages of a task in one millisecond. */
const MOST_AT_ONCE = 1_000;

/**
 * A task's protocol messages, oldest first unless asked otherwise. The caller has checked that the task may
 * be seen. A search reads all of them, since a task has few (lib/history/protocol-messages).
 */
export async function listMessages(
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
  const words = query.q?.trim() ?? "";
  // Sealed messages are opened to be searched: a task has few.
  const isSealed = words !== "" && contentOf(tx) !== PLAIN;
  if (words !== "" && !isSealed) {
    const pattern = containing(words);
    conditions.push(Prisma.sql`(method ILIKE ${pattern} OR body::text ILIKE ${pattern})`);
  }
  const rows = await tx.$queryRaw<MessageRow[]>`
    SELECT place, "taskId", at, direction, method, body FROM (
      SELECT task_id AS "taskId", at, direction, method, body, (extract(epoch FROM at) * 1000)::bigint * ${MOST_AT_ONCE}
        + row_number() OVER (PARTITION BY at ORDER BY id) AS place
      FROM protocol_message WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ${taskId}::uuid) message
    WHERE ${Prisma.join(conditions, " AND ")}
    ORDER BY place ${newest ? Prisma.sql`DESC` : Prisma.sql`ASC`} LIMIT ${isSealed ? MESSAGES_READ : query.limit + 1}`;
  return toPage(
    isSealed ? rows.filter((row) => says(row, words)).slice(0, query.limit + 1) : rows,
    query.limit,
    (row) => row.place,
    ({ at, direction, method, body }) =>
      taskMessageSchema.parse({ at: at.toISOString(), direction, method, body }),
  );
}

/** More than a task keeps (lib/history/protocol-messages/limits.ts), as its deletion follows each write. */
const MESSAGES_READ = 1_000;

function says({ method, body }: MessageRow, words: string): boolean {
  return `${method}\n${JSON.stringify(body)}`.toLowerCase().includes(words.toLowerCase());
}

/** The distinct methods of a task's messages, by name. */
export async function listMethods(tx: Tx, taskId: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ method: string }[]>`
    SELECT DISTINCT method FROM protocol_message
    WHERE organization_id = ${tx.organizationId}::uuid AND task_id = ${taskId}::uuid ORDER BY method`;
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
