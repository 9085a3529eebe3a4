import { z } from "zod";
import { actorSchema } from "../../access/access-schema.ts";

/** Whether an organization seals what its tasks are about, and how far the engine has come with what was stored before. */
export const contentSealingSchema = z.object({
  sealed: z.boolean(),
  /** Who turned the switch last, and when; null: nobody ever did. */
  changed: z.object({ by: actorSchema, at: z.iso.datetime() }).nullable(),
  /** Rows looked at, of about so many; null once everything is as the switch says. */
  progress: z.object({ done: z.int(), of: z.int() }).nullable(),
  /** Values that no key of this installation opens, by the last look at all. */
  unopened: z.int(),
  /** False: a key of the organization can't be opened now, and what is sealed waits. */
  opens: z.boolean(),
});
export type ContentSealing = z.infer<typeof contentSealingSchema>;

export const saveContentSealingSchema = z.strictObject({ sealed: z.boolean() });
