import { z } from "zod";

/** What is offered when somebody declines, in the order of the list. */
export const declineReasonsSchema = z.strictObject({
  reasons: z
    .array(z.string().trim().min(1, "Write a reason").max(200, "Use at most 200 characters"))
    .max(20, "At most 20 reasons")
    .refine((reasons) => new Set(reasons).size === reasons.length, "Each reason once"),
});
export type DeclineReasons = z.infer<typeof declineReasonsSchema>;

/** How long the screens hold an answer before it leaves, in ms; 0: not at all. */
export const undoWindowSchema = z.strictObject({ holdMs: z.int().min(0).max(60_000) });
export type UndoWindow = z.infer<typeof undoWindowSchema>;
