import { z } from "zod";
import { taskEventSchema } from "../tasks/schema.ts";

/** A line of the organization's history. `data` is empty where retention has dropped it. */
export const eventSchema = taskEventSchema.extend({
  taskId: z.uuid().nullable(),
  inputRequestId: z.uuid().nullable(),
});
export type OrganizationEvent = z.infer<typeof eventSchema>;

/** One line of an export: the event, with what it takes to verify the chain without Intray. In hex. */
export const exportedEventSchema = eventSchema.extend({
  /** SHA-256 of the line's own values. */
  digest: z.string(),
  /** SHA-256 of the hash of the line before, and this digest. */
  hash: z.string(),
});
export type ExportedEvent = z.infer<typeof exportedEventSchema>;

/** Whether the chain holds. `brokenAt` is the first line that does not fit the one before it. */
export const verificationSchema = z.object({
  ok: z.boolean(),
  lines: z.number(),
  /** The hash of the newest line, in hex; keep it elsewhere, and nobody can rewrite what came before. */
  head: z.string().nullable(),
  brokenAt: z.number().nullable(),
});
export type Verification = z.infer<typeof verificationSchema>;
