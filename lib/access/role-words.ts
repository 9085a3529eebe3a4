import type { Role } from "../access/roles.ts";

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
