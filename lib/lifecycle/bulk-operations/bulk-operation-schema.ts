import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";
import { taskFilterSchema, taskStateSchema } from "../../tasks/task-schema.ts";

export const bulkActionSchema = z.enum(["cancel", "refresh", "restart"]);
export type BulkAction = z.infer<typeof bulkActionSchema>;

/** Most tasks of one operation: a number that a person can answer for, and that is done within minutes. */
export const MOST_ITEMS = 5_000;

/** The tasks: named ones, or all that match a filter. Tasks that the action does not suit are left out. */
export const createBulkSchema = z
  .strictObject({
    action: bulkActionSchema,
    taskIds: z.array(z.uuid()).min(1).max(MOST_ITEMS).optional(),
    /** As in `GET /tasks`. */
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
  /** `prepared`: the list is frozen and awaits confirmation. `stopped`: waiting items were skipped. */
  state: bulkStateSchema,
  by: actorSchema,
  /** The number of tasks, in all and by state. */
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
  /** The task as of now; null: deleted meanwhile, or no longer visible. */
  task: z
    .object({ label: z.string().nullable(), tool: z.string(), server: z.string(), state: taskStateSchema })
    .nullable(),
  state: itemStateSchema,
  /** Why the item was refused: a stable code and a text. */
  code: z.string().nullable(),
  message: z.string().nullable(),
  /** The task that a restart made. */
  newTaskId: z.uuid().nullable(),
  doneAt: timestamp.nullable(),
});
export type BulkItem = z.infer<typeof bulkItemSchema>;

export const bulkItemQuerySchema = z.object({ state: itemStateSchema.optional() });
