/**
 * The permissions and the weakest role that has each: the only place that defines them. Routes, transitions
 * and screens use these names. Which tasks a role may see is visibility, in lib/tasks/visibility.ts.
 */
import { ROLES, type Role, roleAllows } from "./roles.ts";

export const PERMISSIONS = {
  "account:use": "viewer",
  "tasks:read": "viewer",
  "tasks:start": "operator",
  "tasks:manage": "operator",
  "tasks:find": "operator",
  "tasks:adopt": "admin",
  "protocol:read": "operator",
  "requests:read": "viewer",
  "requests:ask": "operator",
  "requests:answer": "approver",
  "requests:assign": "operator",
  "requests:resend": "operator",
  "views:use": "viewer",
  "views:share": "operator",
  "views:manage": "admin",
  "servers:read": "viewer",
  "servers:check": "operator",
  "servers:manage": "admin",
  "servers:pause": "operator",
  "connections:own": "operator",
  "connections:share": "admin",
  "settings:read": "viewer",
  "settings:manage": "admin",
  "people:find": "approver",
  "members:manage": "admin",
  "keys:manage": "admin",
  "agents:manage": "admin",
  "webhooks:manage": "admin",
  "events:read": "admin",
  "audit:manage": "owner",
  "saml:read": "admin",
  "saml:manage": "owner",
  "directory:manage": "owner",
  "owners:manage": "owner",
  "organization:export": "owner",
  "organization:delete": "owner",
  "organization:hold": "owner",
  "addresses:manage": "owner",
  "hosts:allow": "owner",
  "content:seal": "owner",
} as const satisfies Record<string, Role>;
export type Permission = keyof typeof PERMISSIONS;

export function may(role: Role, permission: Permission): boolean {
  return roleAllows(role, PERMISSIONS[permission]);
}

/** The roles that have a permission. */
export function rolesWith(permission: Permission): Role[] {
  return ROLES.filter((role) => may(role, permission));
}

/** What screens offer while an admin looks as a member, whatever the member's role. */
export const VIEW_PERMISSIONS: Permission[] = ["tasks:read", "requests:read"];

/** Returns all permissions of a role. */
export function permissionsOf(role: Role): Permission[] {
  return (Object.keys(PERMISSIONS) as Permission[]).filter((permission) => may(role, permission));
}

/** The actions that a key can be limited to, in words. What is only ever a person's is not among them. */
export const ACTION_WORDS = {
  "tasks:read": "Read tasks",
  "tasks:start": "Start tasks",
  "tasks:manage": "Cancel and check tasks",
  "requests:read": "Read requests",
  "requests:ask": "Ask people, and use their approvals",
  "requests:answer": "Answer requests",
  "requests:assign": "Assign requests",
  "requests:resend": "Send answers again",
  "protocol:read": "Read protocol messages",
  "servers:read": "Read servers and tools",
  "servers:check": "Check servers",
  "servers:pause": "Pause servers",
  "servers:manage": "Manage servers",
  "tasks:find": "Find untracked tasks",
  "tasks:adopt": "Adopt untracked tasks",
  "connections:share": "Manage shared connections",
  "people:find": "Find people",
  "settings:read": "Read settings",
  "settings:manage": "Change settings",
  "members:manage": "Manage members",
  "keys:manage": "Manage API keys",
  "agents:manage": "Manage agents",
  "webhooks:manage": "Manage webhooks",
  "events:read": "Read and export the history",
  "organization:export": "Export the organization",
} as const satisfies Partial<Record<Permission, string>>;

const words: Partial<Record<Permission, string>> = ACTION_WORDS;

export function actionWords(permission: Permission): string {
  return words[permission] ?? permission;
}
