/** A task of the server in mcp-server.ts, as it is shown. */
import { randomUUID } from "node:crypto";

export const APPROVAL_SCHEMA = {
  type: "object",
  properties: { approve: { type: "boolean", title: "Approve" } },
  required: ["approve"],
};

export interface FakeTask {
  taskId: string;
  status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number | null;
  pollIntervalMs: number;
  inputRequests?: Record<string, unknown>;
  result?: unknown;
  error?: unknown;
}

export function newTask(status: FakeTask["status"]): FakeTask {
  const now = new Date().toISOString();
  const task: FakeTask = {
    taskId: `täsk ${randomUUID()}`,
    status,
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: null,
    pollIntervalMs: 50,
  };
  if (status === "failed") task.error = { code: -32000, message: "Out of paper" };
  if (status === "input_required") {
    const question = { message: "Approve the invoice?", requestedSchema: APPROVAL_SCHEMA };
    task.inputRequests = {
      approval: { method: "elicitation/create", params: { mode: "form", ...question } },
    };
  }
  return task;
}
