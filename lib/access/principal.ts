import type { Role } from "./roles.ts";
import type { Actor } from "./schema.ts";

/** Who acts: a signed-in member or an API key, always within one organization. */
export interface Principal {
  organizationId: string;
  /** The member; null for a key. Assignments, claims, drafts and private tasks hang on it. */
  userId: string | null;
  role: Role;
  /** As history names them. */
  actor: Actor;
}
