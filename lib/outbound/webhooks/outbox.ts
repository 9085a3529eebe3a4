import { storable, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { EventType } from "../../history/events/event-schema.ts";
import type { FollowedEvent } from "../../history/events/follow.ts";
import type { WebhookEvent } from "./webhook-schema.ts";

/** Converts history events to webhook payloads. Pure. */
const BY_EVENT: Partial<Record<EventType, { type: WebhookEvent; state: string }>> = {
  "request.opened": { type: "request.opened", state: "open" },
  "request.replaced": { type: "request.opened", state: "open" },
  "request.reopened": { type: "request.opened", state: "open" },
  "answer.undone": { type: "request.opened", state: "open" },
  "answer.recorded": { type: "request.answered", state: "answered" },
  "delivery.confirmed": { type: "request.settled", state: "settled" },
  "request.withdrawn": { type: "request.withdrawn", state: "withdrawn" },
  "request.expired": { type: "request.expired", state: "expired" },
  "request.undeliverable": { type: "request.undeliverable", state: "undeliverable" },
  "task.completed": { type: "task.completed", state: "completed" },
  "task.failed": { type: "task.failed", state: "failed" },
  "task.cancelled": { type: "task.cancelled", state: "cancelled" },
  "task.lost": { type: "task.lost", state: "lost" },
  "task.expired": { type: "task.expired", state: "expired" },
  "task.start_unknown": { type: "task.start_unknown", state: "start_unknown" },
};

interface WebhookMessage {
  type: WebhookEvent;
  /** The task, which must be visible to the whole organization; null if the event concerns none. */
  taskId: string | null;
  /** The payload; `serverId` and `tool` are added from the task. */
  payload: { type: WebhookEvent; timestamp: string; data: Record<string, unknown> };
}

/**
 * Returns the payload, or null for events that webhooks do not get. Contains ids and states, never a
 * question, an answer, arguments or a result.
 */
function messageOf({ type, at, taskId, inputRequestId, data }: FollowedEvent): WebhookMessage | null {
  const timestamp = at.toISOString();
  if (type === "server.health_changed") {
    const { serverId, from, to } = data;
    return { type, taskId: null, payload: { type, timestamp, data: { serverId, from, state: to } } };
  }
  const messages = BY_EVENT[type];
  if (!messages || taskId === null) return null;
  const { state } = messages;
  const about = inputRequestId
    ? { inputRequestId, taskId, state }
    : { taskId, state, ...(type === "task.completed" && { isError: data.isError === true }) };
  return { type: messages.type, taskId, payload: { type: messages.type, timestamp, data: about } };
}

/** Adds events to the outbox of every subscribed webhook, in the transaction that read them. */
export async function recordDeliveries(tx: Tx, events: FollowedEvent[]): Promise<void> {
  const messages = events.flatMap((event) => messageOf(event) ?? []);
  if (messages.length === 0) return;
  const webhooks = await tx.webhookEndpoint.findMany({
    where: { organizationId: tx.organizationId, agentId: null, disabledReason: null },
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
