/** Converts history events to webhook payloads. Pure. */
import type { FollowedEvent } from "../events/follow.ts";
import type { EventType } from "../events/schema.ts";
import type { WebhookEvent } from "./schema.ts";

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

export interface WebhookMessage {
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
export function messageOf({ type, at, taskId, inputRequestId, data }: FollowedEvent): WebhookMessage | null {
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
