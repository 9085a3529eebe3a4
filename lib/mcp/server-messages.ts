/** What a server of 2025-11-25 sends on its streams besides replies, sorted to the listener. */

import {
  cancelledSchema,
  completeSchema,
  discreetQuestion,
  progressSchema,
  relatedTaskId,
  type ServerMessage,
  statusSchema,
  toQuestion,
} from "./messages.ts";
import type { RpcId, StreamListener } from "./peer.ts";
import { hiding, IN_MESSAGES } from "./wire/hide.ts";

/** What is answered at once, by us: never an elicitation that a person could be shown. */
export type InstantReply = { id: RpcId } & (
  | { result: Record<string, never> }
  | { error: { code: number; message: string } }
);

type Listener = Omit<StreamListener, "onClosed" | "onEventId">;

/** Hands the message to the listener. Returns a reply to send at once, or null: the message wants none, or waits. */
export function sortServerMessage(
  message: ServerMessage,
  listener: Listener,
  replayed = false,
): InstantReply | null {
  const { id, method, params } = message;
  if (id === undefined) {
    notify(method, params, listener);
    return null;
  }
  if (method === "ping") return { id, result: {} };
  if (method !== "elicitation/create") return { id, error: { code: -32601, message: "Method not found" } };
  const question = toQuestion({ kind: "rpc", rpcId: id }, params);
  // Not a mode we declared: the specification asks for this error.
  if (!question) return { id, error: { code: -32602, message: "Unsupported elicitation" } };
  const taskId = relatedTaskId(params?._meta);
  listener.onQuestion(
    discreetQuestion(question, hiding(taskId === null ? [] : [taskId], IN_MESSAGES)),
    taskId,
    replayed,
  );
  return null;
}

/** A notification that is broken or not for us is no event. */
function notify(method: string, params: unknown, listener: Listener): void {
  if (method === "notifications/cancelled") {
    const { data } = cancelledSchema.safeParse(params);
    if (data) listener.onRetracted(data.requestId);
  } else if (method === "notifications/tasks/status") {
    const { data } = statusSchema.safeParse(params);
    if (data) listener.onStatus(data.taskId, data.status);
  } else if (method === "notifications/elicitation/complete") {
    // What was to be done at a URL is done: the task may have moved on, if the message says which.
    const { data } = completeSchema.safeParse(params);
    if (data) listener.onStatus(relatedTaskId(data._meta) ?? data.elicitationId);
  } else if (method === "notifications/progress") {
    const { data } = progressSchema.safeParse(params);
    if (data)
      listener.onProgress(data.progressToken, data.progress, data.total ?? null, data.message ?? null);
  }
}
