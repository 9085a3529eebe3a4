import { z } from "zod";
import { roleSchema } from "../access/schema.ts";

const name = z.string().trim().min(1, "Name the key").max(80);

export const createKeySchema = z.strictObject({ name, role: roleSchema });
export type CreateKeyInput = z.infer<typeof createKeySchema>;

export const updateKeySchema = z.strictObject({ name });

export const apiKeySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  role: roleSchema,
  /** Null: made by the command line. */
  createdBy: z.object({ id: z.uuid(), name: z.string() }).nullable(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type ApiKey = z.infer<typeof apiKeySchema>;

/** The only response that holds the secret; just its hash is stored. */
export const newApiKeySchema = apiKeySchema.extend({ secret: z.string() });
