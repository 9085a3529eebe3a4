/** How long an organization keeps old data. */
import { z } from "zod";

const days = z.int("A number of days").min(1, "At least a day").max(36_500, "At most 36,500 days").nullable();

/** In days; null: for ever. */
export const retentionSchema = z.object({
  /** Protocol messages between Intray and the servers. */
  messageDays: days,
  /** The details of history lines; their type, actor and time stay for ever. */
  payloadDays: days,
  /** Ended tasks, counted from their end, with their arguments, requests, answers and results. */
  taskDays: days,
});
export type Retention = z.infer<typeof retentionSchema>;

export const updateRetentionSchema = retentionSchema
  .partial()
  .extend({ slug: z.string().max(100).optional() })
  .strict()
  .refine(({ slug: _, ...changes }) => Object.keys(changes).length > 0, "Name what to change");
export type UpdateRetention = z.infer<typeof updateRetentionSchema>;

const queryDays = z
  .string()
  .regex(/^(\d{1,5}|forever)$/, "A number of days, or forever")
  .transform((text) => (text === "forever" ? null : Number(text)))
  .pipe(days);
export const previewQuerySchema = z.strictObject({
  messageDays: queryDays,
  payloadDays: queryDays,
  taskDays: queryDays,
});

/** Counting stops here: a larger number would change no decision. */
export const PREVIEW_LIMIT = 10_000;

/** The rows that would be deleted at once, each counted up to 10,000; 10,001 stands for more. */
export const previewSchema = z.object({ messages: z.int(), payloads: z.int(), tasks: z.int() });
export type Preview = z.infer<typeof previewSchema>;

/** Whether any period becomes shorter, since deleted data can't be restored. */
export function shortens(before: Retention, after: Retention): boolean {
  return (["messageDays", "payloadDays", "taskDays"] as const).some(
    (kind) => (after[kind] ?? Number.POSITIVE_INFINITY) < (before[kind] ?? Number.POSITIVE_INFINITY),
  );
}
