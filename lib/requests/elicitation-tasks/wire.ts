/** The tasks that Intray keeps for servers, as 2025-11-25 has them. */
import type { AnswerBody } from "../../mcp/peer.ts";
import type { ElicitationTask } from "./elicitation-task-reads.ts";
import { type StoredState, statusOf } from "./elicitation-task-status.ts";

const WORDS: Record<StoredState, string> = {
  working: "Waiting for a person.",
  completed: "The result is ready.",
  cancelled: "The question was withdrawn.",
};

/** How soon a server may ask for a task again, in ms: people take longer. */
const POLL_MS = 2_000;

/** Returns the task as its server is told of it. Throws for one that counts as gone. */
export function toTask(task: ElicitationTask) {
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
