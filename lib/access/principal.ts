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
  /**
   * An admin looks at lists as the member `userId` would: `actor` is the admin. Reads only, and nothing that is
   * that member's alone (docs/decisions/032).
   */
  isView?: true;
}

/** The member whose private things the caller may read: drafts, private tasks. Null for a key, and in a view. */
export function selfOf({ userId, isView }: Principal): string | null {
  return isView ? null : userId;
}
