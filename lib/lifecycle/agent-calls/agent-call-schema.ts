/** What agents say in a call, and what they are told of a task. */
import { z } from "zod";
import { taskStateSchema } from "../../tasks/task-schema.ts";

/** In a call's `_meta`: says exactly which call it is. */
export const IDEMPOTENCY_KEY = "io.intray/idempotency-key";
/** In a call's `_meta`: true asks for another task, whatever runs already. */
export const NEW = "io.intray/new";
/** In a result's `_meta`: the task that the call became. */
export const TASK_ID = "io.intray/task-id";

/** In a result's `_meta`: what a person changed in the call before they approved it. */
export const CHANGED = "io.intray/changed";

export const callMetaSchema = z.looseObject({
  [IDEMPOTENCY_KEY]: z.string().min(1).max(255).optional(),
  [NEW]: z.boolean().optional(),
});

const waitingForSchema = z.enum(["person", "server"]);

/**
 * Told instead of a result while there is none: a success, since agents repeat what failed. `message` and `next` (what to do
 * now) are the result's text too: some clients show their model the structured content alone.
 */
export const unfinishedSchema = z.object({
  taskId: z.uuid(),
  state: taskStateSchema,
  waitingFor: waitingForSchema,
  url: z.string(),
  retryAfterMs: z.number(),
  message: z.string(),
  next: z.string(),
});
export type Unfinished = z.infer<typeof unfinishedSchema>;

/**
 * A task as its agent sees it. `result`: the tool's own, once the task has ended. `message` and `next` as above: not in a list,
 * and nothing is next once the task has ended.
 */
export const agentTaskSchema = z.object({
  taskId: z.uuid(),
  tool: z.string(),
  label: z.string().nullable(),
  state: taskStateSchema,
  waitingFor: waitingForSchema.nullable(),
  url: z.string(),
  statusMessage: z.string().nullable(),
  message: z.string().optional(),
  next: z.string().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
});
export type AgentTask = z.infer<typeof agentTaskSchema>;

/** A malformed id gets the same answer as an unknown one. */
const taskId = z.string().max(200).describe("The id of a task that a call of yours became");

export const getTaskSchema = z.object({ taskId });
export const cancelTaskSchema = z.object({ taskId });
export const waitForTaskSchema = z.object({
  taskId,
  timeoutMs: z
    .number()
    .min(0)
    .optional()
    .describe("How long to wait, in milliseconds; at most as long as this agent's calls are held"),
});
export const listTasksSchema = z.object({
  state: taskStateSchema.optional().describe("Only tasks in this state"),
  limit: z.number().int().min(1).max(100).default(20),
  cursor: z.string().max(1000).optional().describe("The nextCursor of the page before"),
});
export type ListTasks = z.output<typeof listTasksSchema>;
