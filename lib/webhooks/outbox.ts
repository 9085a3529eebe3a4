import { storable, type Tx } from "../base/db/db.ts";
import { uuidv7 } from "../base/ids.ts";
import type { FollowedEvent } from "../events/follow.ts";
import { messageOf } from "./payload.ts";

/** Adds events to the outbox of every subscribed webhook, in the transaction that read them. */
export async function recordDeliveries(tx: Tx, events: FollowedEvent[]): Promise<void> {
  const messages = events.flatMap((event) => messageOf(event) ?? []);
  if (messages.length === 0) return;
  const webhooks = await tx.webhookEndpoint.findMany({
    where: { organizationId: tx.organizationId, disabledReason: null },
    select: { id: true, events: true },
  });
  if (webhooks.length === 0) return;
  const tasks = await tx.task.findMany({
    where: {
      organizationId: tx.organizationId,
      id: { in: messages.flatMap(({ taskId }) => taskId ?? []) },
      visibility: "organization",
    },
    select: { id: true, serverId: true, tool: true },
  });
  const rows = messages.flatMap(({ type, taskId, payload }) => {
    const task = tasks.find(({ id }) => id === taskId);
    if (taskId !== null && !task) return []; // private or deleted
    const data = { ...payload.data, ...(task && { serverId: task.serverId, tool: task.tool }) };
    const text = JSON.stringify(storable({ ...payload, data }));
    return webhooks
      .filter((webhook) => webhook.events.includes(type))
      .map((webhook) => ({
        organizationId: tx.organizationId,
        id: uuidv7(),
        endpointId: webhook.id,
        type,
        payload: text,
      }));
  });
  await tx.webhookDelivery.createMany({ data: rows });
}
