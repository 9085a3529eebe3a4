import { z } from "zod";
import { personSchema, roleSchema } from "../../access/access-schema.ts";

const name = z.string().trim().min(1, "Name the service account").max(80, "Use at most 80 characters");
const description = z.string().trim().max(500, "Use at most 500 characters");

/** `ownerId`: the membership of the member who answers for it. */
export const createServiceAccountSchema = z.strictObject({
  name,
  description: description.optional(),
  role: roleSchema,
  ownerId: z.uuid("Choose a member"),
});
export type CreateServiceAccount = z.infer<typeof createServiceAccountSchema>;

export const updateServiceAccountSchema = createServiceAccountSchema
  .extend({ description, /** An admin suspends it, or resumes it. */ suspended: z.boolean() })
  .partial()
  .refine((input) => Object.keys(input).length > 0, "Name what to change");
export type UpdateServiceAccount = z.infer<typeof updateServiceAccountSchema>;

/**
 * Why the keys of an account are refused. `by_admin`: an admin suspended it. `owner_gone`: its owner is no member, or
 * suspended. `owner_too_weak`: the owner's role is weaker than the account's.
 */
const SUSPENDED = ["by_admin", "owner_gone", "owner_too_weak"] as const;

export const serviceAccountSchema = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  role: roleSchema,
  /** Null: who answered for it is no member any more. `id` is the membership's. */
  owner: personSchema.nullable(),
  /** Null: its keys are taken. */
  suspended: z.enum(SUSPENDED).nullable(),
  /** Its keys that were not revoked. */
  keys: z.int(),
  createdAt: z.iso.datetime(),
});
export type ServiceAccount = z.infer<typeof serviceAccountSchema>;
