import { z } from "zod";
import { actorSchema } from "../access/schema.ts";
import { taskFilterSchema, taskStateSchema } from "../tasks/schema.ts";

export const bulkActionSchema = z.enum(["cancel", "refresh", "restart"]);
export type BulkAction = z.infer<typeof bulkActionSchema>;

/** One operation's most tasks: what a person can answer for, and what ends within minutes. */
export const MOST_ITEMS = 5_000;

/** Which tasks: these, or all that a list shows. Those that the action can't be done to are left out. */
export const createBulkSchema = z
  .strictObject({
    action: bulkActionSchema,
    taskIds: z.array(z.uuid()).min(1).max(MOST_ITEMS).optional(),
    /** As `GET /tasks` takes it. */
    filter: z.strictObject(taskFilterSchema.shape).optional(),
  })
  .refine((input) => (input.taskIds === undefined) !== (input.filter === undefined), {
    error: "Name the tasks, or a filter",
  });
export type CreateBulkInput = z.output<typeof createBulkSchema>;

/** `count`: the number of tasks, as the person typed it. */
export const beginBulkSchema = z.strictObject({ count: z.int().min(1) });

const bulkStateSchema = z.enum(["prepared", "running", "done", "stopped"]);
const itemStateSchema = z.enum(["waiting", "done", "refused", "skipped"]);
export type ItemState = z.infer<typeof itemStateSchema>;

const timestamp = z.iso.datetime();

export const bulkOperationSchema = z.object({
  id: z.uuid(),
  action: bulkActionSchema,
  /** `prepared`: the list stands, and nobody confirmed it yet. `stopped`: what was left is not done. */
  state: bulkStateSchema,
  by: actorSchema,
  /** How many tasks, and how many of them in each state. */
  items: z.number(),
  counts: z.record(itemStateSchema, z.number()),
  createdAt: timestamp,
  begunAt: timestamp.nullable(),
  endedAt: timestamp.nullable(),
});
export type BulkOperation = z.infer<typeof bulkOperationSchema>;

export const bulkItemSchema = z.object({
  position: z.number(),
  taskId: z.uuid(),
  /** As it is now; null: deleted meanwhile, or not to be seen any more. */
  task: z
    .object({ label: z.string().nullable(), tool: z.string(), server: z.string(), state: taskStateSchema })
    .nullable(),
  state: itemStateSchema,
  /** Why it was refused: a stable code, and words. */
  code: z.string().nullable(),
  message: z.string().nullable(),
  /** Of a restart: the task that was started. */
  newTaskId: z.uuid().nullable(),
  doneAt: timestamp.nullable(),
});
export type BulkItem = z.infer<typeof bulkItemSchema>;

export const bulkItemQuerySchema = z.object({ state: itemStateSchema.optional() });
