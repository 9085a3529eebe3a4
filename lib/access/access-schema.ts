import { z } from "zod";
import { ROLES } from "./roles.ts";
export const roleSchema = z.enum(ROLES);

/** A person as shown to others. */
export const personSchema = z.object({ id: z.uuid(), name: z.string() });
export type Person = z.infer<typeof personSchema>;

/**
 * The author of a change: a member, an API key, an agent (a program that reaches Intray by MCP), a rule of the policy that answers by
 * itself, the engine or the system.
 */
export const actorSchema = z.object({
  kind: z.enum(["member", "key", "agent", "rule", "engine", "system"]),
  id: z.string().nullable(),
  name: z.string(),
  /** Of a key that acts for a service account, whose name it has. */
  serviceAccount: z.literal(true).optional(),
});
export type Actor = z.infer<typeof actorSchema>;
