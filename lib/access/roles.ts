/** Roles, weakest first: each may do all that the ones before it may. Without zod, so that every page can hold them. */
export const ROLES = ["viewer", "approver", "operator", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** Whether `role` may do what `needed` may. */
export function roleAllows(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
