import { storable, type Tx } from "../db.ts";
import { MESSAGES_KEPT } from "./limits.ts";

export interface NewMessage {
  at: Date;
  direction: "out" | "in";
  method: string;
  /** Masked already (mask.ts). */
  body: unknown;
}

/** Keeps what was said about a task, the newest `MESSAGES_KEPT`. */
export async function storeMessages(
  organizationId: string,
  tx: Tx,
  taskId: string,
  messages: NewMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  await tx.protocolMessage.createMany({
    data: messages.map((message) => ({ ...message, organizationId, taskId, body: storable(message.body) })),
  });
  await tx.$executeRaw`DELETE FROM protocol_message WHERE organization_id = ${organizationId}::uuid
    AND task_id = ${taskId}::uuid AND id < (SELECT id FROM protocol_message
      WHERE organization_id = ${organizationId}::uuid AND task_id = ${taskId}::uuid
      ORDER BY id DESC OFFSET ${MESSAGES_KEPT - 1} LIMIT 1)`;
}
