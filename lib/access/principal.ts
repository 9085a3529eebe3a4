import type { Actor } from "./access-schema.ts";
import type { Permission } from "./permissions.ts";
import type { Role } from "./roles.ts";

/** What an API key is limited to, beside its role (key-scope.ts judges). */
export interface KeyScope {
  /** Null: all of the role's. */
  permissions: Permission[] | null;
  /** Servers that are the key's with all their tools. */
  servers: string[];
  /** Single tools, as `<server id>/<name>`. Without servers and tools the key has all of them. */
  tools: string[];
}

/** The caller: a signed-in member, an API key or an agent, always within one organization. */
export interface Principal {
  organizationId: string;
  /**
   * The member, or null for a key. Assignments, claims, drafts and private tasks refer to members. Of an agent: the member
   * who signed it in, or null for one with a secret.
   */
  userId: string | null;
  role: Role;
  /** The caller as named in history. */
  actor: Actor;
  /**
   * An admin looks at lists as the member `userId` would: `actor` is the admin. Reads only, and nothing that is
   * that member's alone (docs/decisions/032).
   */
  isView?: true;
  /** What a limited API key is limited to. */
  scope?: KeyScope;
}

/** The member whose private things the caller may read: drafts, private tasks. Null for a key, and in a view. */
export function selfOf({ userId, isView }: Principal): string | null {
  return isView ? null : userId;
}

/** The agent that calls: it sees the tasks that it started, and nothing else. Null for people and keys. */
export function agentOf({ actor }: Pick<Principal, "actor">): string | null {
  return actor.kind === "agent" ? actor.id : null;
}

/** Whether a person acts, who can be asked to look first; a key or an agent can't. */
export function isPerson({ userId, actor }: Pick<Principal, "userId" | "actor">): boolean {
  return userId !== null && actor.kind !== "agent";
}
