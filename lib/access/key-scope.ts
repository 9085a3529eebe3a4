/**
 * What an API key is limited to, beside its role, its end and its networks (docs/decisions/038). Actions are checked
 * where routes admit a caller, servers and tools there (`inKeyScope`) and where tasks, requests and servers are read.
 */
import { may, type Permission } from "./permissions.ts";
import type { KeyScope, Principal } from "./principal.ts";

/** Whether a caller's role has the permission, and their key, if it is limited to actions. */
export function allows({ role, scope }: Principal, permission: Permission): boolean {
  return may(role, permission) && (scope?.permissions?.includes(permission) ?? true);
}

/**
 * The permissions of calls that a key makes only where its limits name them (`namedByKeys` of lib/web/http/route.ts):
 * they take everything out or away, or say who may what. A key of its role alone neither has them nor hands them on.
 */
const BY_NAME_ALONE: readonly Permission[] = [
  "organization:export",
  "organization:delete",
  "settings:manage",
  "members:manage",
  "saml:manage",
  "events:read",
];

/** Whether a key may not give this permission to another by name. */
export function keepsFromKeys({ scope }: Principal, permission: Permission): boolean {
  const named = scope?.permissions;
  return named ? !named.includes(permission) : BY_NAME_ALONE.includes(permission);
}

/** The caller's limits of servers and tools, or null for one who reaches all. */
export function reachOf({ scope }: Principal): Pick<KeyScope, "servers" | "tools"> | null {
  return scope && (scope.servers.length > 0 || scope.tools.length > 0) ? scope : null;
}

/** Whether the caller reaches a server, be it for some of its tools. */
export function reachesServer(principal: Principal, serverId: string): boolean {
  const reach = reachOf(principal);
  return !reach || serversOf(reach).includes(serverId);
}

export function reachesTool(principal: Principal, serverId: string, tool: string): boolean {
  const reach = reachOf(principal);
  return !reach || reach.servers.includes(serverId) || reach.tools.includes(`${serverId}/${tool}`);
}

/** All servers that a limit names, by themselves or by a tool. */
export function serversOf({ servers, tools }: Pick<KeyScope, "servers" | "tools">): string[] {
  return [...new Set([...servers, ...tools.map((tool) => tool.slice(0, tool.indexOf("/")))])];
}
