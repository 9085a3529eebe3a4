import { z } from "zod";

/** Until when the caller puts a request off, for themselves. */
export const snoozeInputSchema = z.strictObject({ until: z.iso.datetime({ offset: true }) });
export type SnoozeInput = z.infer<typeof snoozeInputSchema>;
