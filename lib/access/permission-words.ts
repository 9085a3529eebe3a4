import type { Permission } from "../access/permissions.ts";

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
