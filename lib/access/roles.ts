/** Roles, weakest first; each includes all weaker ones. Without zod, so that every page can import them. */
export const ROLES = ["viewer", "approver", "operator", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** Returns the weaker of two roles: what a program has that is bounded by whoever is behind it. */
export function weakerRole(one: Role, other: Role): Role {
  return roleAllows(one, other) ? other : one;
}

/** Returns true if `role` is at least `needed`. */
export function roleAllows(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The permissions of each role, beside those of the weaker roles. */
export const ROLE_WORDS: Record<Role, string> = {
  viewer: "reads tasks and requests",
  approver: "answers requests",
  operator: "starts, cancels and restarts tasks",
  admin: "connects servers, manages members, keys and settings",
  owner: "makes owners, exports and deletes the organization",
};

/** `an approver`, `a viewer`. */
export function aRole(role: Role): string {
  return `${/^[aeiou]/.test(role) ? "an" : "a"} ${role}`;
}
