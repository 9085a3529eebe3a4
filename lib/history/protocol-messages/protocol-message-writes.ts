import type { Content } from "../../base/content/content.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import { Prisma, storable, type Tx } from "../../base/db/db.ts";
import { type DeferredWrite, deferWrite } from "../../base/db/deferred-writes.ts";
import { READINGS, readColumns, sendReading } from "../../base/db/readings.ts";
import { MESSAGES_KEPT } from "./limits.ts";

export interface NewMessage {
  at: Date;
  direction: "out" | "in";
  method: string;
  /** Already masked (mask.ts). */
  body: unknown;
}

/** Stores a task's messages at the end of the transaction, and keeps the newest `MESSAGES_KEPT`. */
export async function storeProtocolMessages(tx: Tx, taskId: string, messages: NewMessage[]): Promise<void> {
  const rows = messages.map((message) => ({ ...message, taskId }));
  if (rows.length > 0) deferWrite(tx, MESSAGES, rows);
}

/** Written with the history (lib/history/events/event-writes.ts) by transactions that have lines for it. */
export const MESSAGES: DeferredWrite<NewMessage & { taskId: string }> = {
  name: "messages",
  order: 3,
  async write(tx, messages, take) {
    const readings = take(READINGS);
    const statement = Prisma.sql`WITH ${kept(tx.organizationId, contentOf(tx), messages)} SELECT`;
    if (readings.length === 0) await tx.$executeRaw(statement);
    else await sendReading(tx, Prisma.sql`${statement} ${readColumns(readings)}`, readings);
  },
};

/** SQL of two writes of a WITH: one stores the messages, one deletes those beyond `MESSAGES_KEPT`. */
export function kept(
  organizationId: string,
  content: Content,
  messages: (NewMessage & { taskId: string })[],
): Prisma.Sql {
  const rows = messages.map(({ at, taskId, direction, method, body }) => ({
    at,
    task: taskId,
    direction,
    method,
    body: content.json("protocol_message.body", taskId, storable(body ?? null)) ?? null,
  }));
  const counts = Map.groupBy(messages, ({ taskId }) => taskId);
  // What a statement inserts it does not see, so the room of the new ones is kept free for them.
  const room = [...counts].map(([id, added]) => ({ id, kept: Math.max(0, MESSAGES_KEPT - added.length) }));
  return Prisma.sql`fresh AS (
      INSERT INTO protocol_message (organization_id, task_id, at, direction, method, body)
      SELECT ${organizationId}::uuid, (m.value->>'task')::uuid, (m.value->>'at')::timestamptz, m.value->>'direction',
        m.value->>'method', m.value->'body'
      FROM jsonb_array_elements(${JSON.stringify(storable(rows))}::jsonb) WITH ORDINALITY AS m (value, place)
      ORDER BY m.place),
    dropped AS (DELETE FROM protocol_message m
      USING jsonb_to_recordset(${JSON.stringify(room)}::jsonb) AS its (id uuid, kept integer), LATERAL (
        SELECT id FROM protocol_message WHERE organization_id = ${organizationId}::uuid AND task_id = its.id
        ORDER BY id DESC OFFSET its.kept LIMIT 1) AS newest (dropped)
      WHERE m.organization_id = ${organizationId}::uuid AND m.task_id = its.id AND m.id <= newest.dropped)`;
}
