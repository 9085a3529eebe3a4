/** What a server is told of a question that it put as an elicitation task (2025-11-25). Pure: judged from the rows. */
import type { AnswerBody } from "../../mcp/peer.ts";
import type { DeliveryState, RequestState } from "../request-schema.ts";

/** `elicitation_task.state`: what the server was told, or may be. */
export type StoredState = "working" | "completed" | "cancelled";

export interface StatusFacts {
  state: StoredState;
  /** Null: it is not known yet whose the question is. */
  requestState: RequestState | null;
  /** Of the answer that counts; null: there is none. */
  deliveryState: DeliveryState | null;
}

/**
 * Returns the task's status, or null for a task that counts as gone: its time ran out, or its answer is not to be told any
 * more. Never `input_required`, which would ask the server for something; a person is asked here.
 */
export function statusOf({ state, requestState, deliveryState }: StatusFacts): StoredState | null {
  if (state === "cancelled") return "cancelled";
  if (state === "completed") return deliveryState !== null && TOLD.has(deliveryState) ? "completed" : null;
  if (requestState === null || GOES_ON.has(requestState)) return "working";
  return requestState === "expired" ? null : "cancelled";
}

/** States in which the screen still promises that the answer goes to the server, or says that it went. */
const TOLD = new Set<DeliveryState>(["pending", "sending", "accepted", "confirmed"]);
/** `undeliverable` is open again where the server puts the question again. */
const GOES_ON = new Set<RequestState>(["open", "answered", "undeliverable"]);

const WORDS: Record<StoredState, string> = {
  working: "Waiting for a person.",
  completed: "The result is ready.",
  cancelled: "The question was withdrawn.",
};

/** How soon a server may ask for a task again, in ms: people take longer. */
const POLL_MS = 2_000;

interface Told {
  id: string;
  createdAt: Date;
  changedAt: Date;
  ttlMs: number | null;
}

/** Returns the task as its server is told of it. Throws for one that counts as gone. */
export function toTask(task: StatusFacts & Told) {
  const status = statusOf(task);
  if (status === null) throw new Error(`the elicitation task ${task.id} is gone`);
  return {
    taskId: task.id,
    status,
    statusMessage: WORDS[status],
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.changedAt.toISOString(),
    ttl: task.ttlMs,
    pollInterval: POLL_MS,
  };
}

/** Returns the result of a completed task: what the server would have got without one, and whose it is. */
export function toResult(id: string, answer: AnswerBody): Record<string, unknown> {
  return { ...answer, _meta: { "io.modelcontextprotocol/related-task": { taskId: id } } };
}

/** The status that the server last reported, of a task that goes on. */
export function reportedState(state: string): "working" | "input_required" {
  return state === "input_required" ? "input_required" : "working";
}
