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
