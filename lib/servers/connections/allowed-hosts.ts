/** The yes of an admin to an authorization server whose endpoints are at others' hosts. */
import { may } from "../../access/permissions.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import type { AuthorizationMetadata } from "../../mcp/oauth/oauth-discovery.ts";
import { foreignEndpoints, foreignEndpointsSchema, hostsOf, isAllowed } from "../../mcp/oauth/oauth-hosts.ts";
import { recordAllowedHosts } from "../transitions.ts";

/**
 * Passes if all endpoints are on the issuer's own site, or where an admin allowed them. `allowHosts` is an admin's
 * yes, with the names as shown to them: stored if exactly these hosts are found. Throws `hosts_not_allowed`,
 * `forbidden`, `not_found`.
 */
export async function requireAllowedHosts(
  tx: Tx,
  principal: Principal,
  serverId: string,
  metadata: AuthorizationMetadata,
  allowHosts: string[] | undefined,
): Promise<void> {
  const found = foreignEndpoints(metadata);
  if (!found) return;
  const server = await tx.server.findFirst({
    where: { organizationId: tx.organizationId, id: serverId, removedAt: null },
    select: { name: true, oauthHosts: true },
  });
  if (!server) throw notFound("server");
  if (isAllowed(found, foreignEndpointsSchema.safeParse(server.oauthHosts).data ?? null)) return;
  const hosts = hostsOf(found);
  if (!allowHosts || !isSameSet(allowHosts, hosts)) throw notAllowed(hosts);
  if (!may(principal.role, "servers:manage"))
    throw new AppError("forbidden", "Only admins allow the hosts of a sign-in.");
  await recordAllowedHosts(tx, principal, { id: serverId, name: server.name }, found);
}

function notAllowed(hosts: string[]): AppError {
  const [issuer, ...others] = hosts;
  return new AppError(
    "hosts_not_allowed",
    `The authorization server ${issuer} uses ${others.join(" and ")} too: an admin has to allow the hosts by name.`,
    { extra: { hosts } },
  );
}

function isSameSet(some: string[], others: string[]): boolean {
  return new Set(some).size === others.length && others.every((one) => some.includes(one));
}
