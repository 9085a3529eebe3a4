/** How long an organization keeps what is over. */
import { z } from "zod";

const days = z.int("A number of days").min(1, "At least a day").max(36_500, "At most 36,500 days").nullable();

/** In days; null: for ever. */
export const retentionSchema = z.object({
  /** What was said between Intray and the servers. */
  messageDays: days,
  /** The details of history's lines; what happened, who did it and when stays for ever. */
  payloadDays: days,
  /** Tasks that are over, counted from their end, with their arguments, requests, answers and results. */
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

/** No more are counted: whoever reads it knows what they do. */
export const PREVIEW_LIMIT = 10_000;

/** What would go at once, each counted up to 10,000: one more stands for all beyond. */
export const previewSchema = z.object({ messages: z.int(), payloads: z.int(), tasks: z.int() });
export type Preview = z.infer<typeof previewSchema>;

/** Whether anything is kept for less time than before: what goes does not come back. */
export function shortens(before: Retention, after: Retention): boolean {
  return (["messageDays", "payloadDays", "taskDays"] as const).some(
    (kind) => (after[kind] ?? Number.POSITIVE_INFINITY) < (before[kind] ?? Number.POSITIVE_INFINITY),
  );
}
