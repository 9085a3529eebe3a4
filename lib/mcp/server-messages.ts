/** Passes messages of 2025-11-25 servers (other than replies) from their streams to the listener. */

import {
  announcedQuestion,
  asTaskSchema,
  cancelledSchema,
  completeSchema,
  discreetQuestion,
  progressSchema,
  relatedTaskId,
  type ServerMessage,
  statusSchema,
  taskRequestSchema,
  toQuestion,
} from "./messages.ts";
import type { RpcId, StreamListener, Via } from "./peer.ts";
import { hiding, IN_MESSAGES } from "./wire/hide.ts";

/** A reply that Intray sends at once. Never answers an elicitation that can be shown to a person. */
export type InstantReply = { id: RpcId } & (
  | { result: Record<string, never> }
  | { error: { code: number; message: string } }
);

type Listener = Omit<StreamListener, "onClosed" | "onEventId">;

/**
 * Passes the message to the listener. Returns a reply to send at once, or null if none is due (yet). `takesTasks`: the
 * session's server was told that it may put questions as tasks; else `task` of a question is ignored, as the specification
 * requires.
 */
export function sortServerMessage(
  message: ServerMessage,
  listener: Listener,
  { via = "stream", takesTasks = false }: { via?: Via; takesTasks?: boolean } = {},
): InstantReply | null {
  const { id, method, params } = message;
  if (id === undefined) {
    notify(message, listener);
    return null;
  }
  if (method === "ping") return { id, result: {} };
  if (takesTasks && listener.onTaskRequest && TASK_METHODS.has(method)) {
    const asked = taskRequestSchema.safeParse({ ...params, method });
    if (!asked.success) return { id, error: { code: -32602, message: "Invalid params" } };
    listener.onTaskRequest({ ...asked.data, rpcId: id });
    return null;
  }
  if (method !== "elicitation/create") return { id, error: { code: -32601, message: "Method not found" } };
  const asTask = takesTasks && params?.task !== undefined ? asTaskSchema.safeParse(params.task) : null;
  if (asTask?.success === false) return { id, error: { code: -32602, message: "Invalid task" } };
  const question = toQuestion({ kind: "rpc", rpcId: id }, params);
  // The specification requires this error for a mode that was not declared.
  if (question.unreadable)
    return { id, error: { code: -32602, message: `Unsupported elicitation. ${question.unreadable.reason}` } };
  const taskId = relatedTaskId(params?._meta);
  listener.onQuestion(
    discreetQuestion(question, hiding(taskId === null ? [] : [taskId], IN_MESSAGES)),
    taskId,
    via,
    asTask ? { ttlMs: asTask.data.ttl ?? null } : null,
  );
  return null;
}

const TASK_METHODS = new Set(["tasks/get", "tasks/result", "tasks/cancel", "tasks/list"]);

/** Ignores broken and irrelevant notifications. */
function notify({ method, params, _meta }: ServerMessage, listener: Listener): void {
  if (method === "notifications/cancelled") {
    const { data } = cancelledSchema.safeParse(params);
    if (data) listener.onRetracted(data.requestId);
  } else if (method === "notifications/tasks/status") {
    const { data } = statusSchema.safeParse(params);
    if (data) listener.onStatus(data.taskId, announcedQuestion(_meta) ?? undefined);
  } else if (method === "notifications/elicitation/complete") {
    // A URL elicitation is complete, so the task (if named) may have progressed.
    const { data } = completeSchema.safeParse(params);
    if (data) listener.onStatus(relatedTaskId(data._meta) ?? data.elicitationId);
  } else if (method === "notifications/progress") {
    const { data } = progressSchema.safeParse(params);
    if (data)
      listener.onProgress(data.progressToken, data.progress, data.total ?? null, data.message ?? null);
  }
}
