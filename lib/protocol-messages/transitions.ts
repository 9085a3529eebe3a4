import { storable, type Tx } from "../base/db/db.ts";
import { type DeferredWrite, deferWrite } from "../base/db/deferred-writes.ts";
import { MESSAGES_KEPT } from "./limits.ts";

export interface NewMessage {
  at: Date;
  direction: "out" | "in";
  method: string;
  /** Already masked (mask.ts). */
  body: unknown;
}

/** Stores a task's messages at the end of the transaction, and keeps the newest `MESSAGES_KEPT`. */
export async function storeMessages(
  _organizationId: string,
  tx: Tx,
  taskId: string,
  messages: NewMessage[],
): Promise<void> {
  const its = messages.map((message) => ({ ...message, taskId }));
  if (its.length > 0) deferWrite(tx, MESSAGES, its);
}

const MESSAGES: DeferredWrite<NewMessage & { taskId: string }> = {
  name: "messages",
  order: 0,
  async write(organizationId, tx, messages) {
    await tx.protocolMessage.createMany({
      data: messages.map((message) => ({ ...message, organizationId, body: storable(message.body) })),
    });
    const taskIds = [...new Set(messages.map(({ taskId }) => taskId))];
    await tx.$executeRaw`DELETE FROM protocol_message m
      USING unnest(${taskIds}::uuid[]) AS its (task), LATERAL (SELECT id FROM protocol_message
        WHERE organization_id = ${organizationId}::uuid AND task_id = its.task
        ORDER BY id DESC OFFSET ${MESSAGES_KEPT - 1} LIMIT 1) AS oldest (kept)
      WHERE m.organization_id = ${organizationId}::uuid AND m.task_id = its.task AND m.id < oldest.kept`;
  },
};
