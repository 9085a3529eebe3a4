import type { Role } from "./roles.ts";
import type { Actor } from "./schema.ts";

/** The caller: a signed-in member or an API key, always within one organization. */
export interface Principal {
  organizationId: string;
  /** The member, or null for a key. Assignments, claims, drafts and private tasks refer to members. */
  userId: string | null;
  role: Role;
  /** The caller as named in history. */
  actor: Actor;
}
