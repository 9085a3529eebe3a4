import { z } from "zod";
import { ROLES } from "./roles.ts";
export const roleSchema = z.enum(ROLES);

/** A person as others see them. */
export const personSchema = z.object({ id: z.uuid(), name: z.string() });

/** Who did something: a member, an API key, or the engine itself. */
export const actorSchema = z.object({
  kind: z.enum(["member", "key", "engine", "system"]),
  id: z.string().nullable(),
  name: z.string(),
});
export type Actor = z.infer<typeof actorSchema>;
