/** Prepares a sign-in at an authorization server, before the browser leaves. */

import { allows } from "../../access/key-scope.ts";
import { may } from "../../access/permissions.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { randomSecret } from "../../base/ids.ts";
import type { Services } from "../../base/process/services.ts";
import { callbackUrl } from "../../mcp/oauth/oauth-client.ts";
import { type AuthorizationMetadata, discoverAuthorization } from "../../mcp/oauth/oauth-discovery.ts";
import { type OAuthRefusal, OAuthRefused } from "../../mcp/oauth/oauth-fetch.ts";
import { foreignEndpoints, foreignEndpointsSchema, hostsOf, isAllowed } from "../../mcp/oauth/oauth-hosts.ts";
import { leave } from "../../mcp/oauth/oauth-tokens.ts";
import { beginFlow } from "../oauth-flows/oauth-flow-writes.ts";
import { NOBODY } from "../seen.ts";
import { readServer } from "../server-reads.ts";
import { recordAllowedHosts } from "../server-writes.ts";
import { clientFor } from "./clients.ts";
import type { ConnectInput, Departure } from "./connection-schema.ts";
import { unionOfScopes } from "./grants.ts";

/** A member in a browser who connects. */
export interface Connecting {
  principal: Principal & { userId: string };
  sessionId: string;
  /** Intray's public origin, e.g. `https://intray.example`. */
  origin: string;
}

/**
 * Prepares a sign-in at the server's authorization server. Throws `not_found`, `forbidden`, and
 * `hosts_not_allowed` with the hosts, and
 * `cannot_connect` with a reason (lib/servers/connections/oauth-words.ts has words for each).
 */
export async function beginConnecting(
  services: Services,
  { principal, sessionId, origin }: Connecting,
  serverId: string,
  { shared, scopes, allowHosts }: ConnectInput,
): Promise<Departure> {
  const { organizationId, userId } = principal;
  if (shared && !allows(principal, "connections:share"))
    throw new AppError("forbidden", "Only admins connect the shared connection.");
  const within = <T>(work: (tx: Tx) => Promise<T>) => services.db.withOrganization(organizationId, work);
  const { server, asked } = await within(async (tx) => ({
    server: await readServer(tx, NOBODY, serverId),
    asked: await askedBefore(tx, serverId, shared ? null : userId),
  }));
  if (server.authKind !== "oauth")
    throw new AppError("cannot_connect", "This server does not use OAuth.", {
      extra: { reason: "no_oauth" },
    });
  let ownAddress: string | null = null;
  try {
    const found = await discoverAuthorization(server.url, services.network);
    const { metadata, resource } = found;
    // Before the registration, which may be at another's host itself.
    await within((tx) => requireAllowedHosts(tx, principal, serverId, metadata, allowHosts));
    ownAddress = callbackUrl(origin, metadata.issuer);
    const wanted = scopes?.join(" ") || asked.setting || unionOfScopes(found.scope, asked.needed);
    const scope = withOfflineAccess(wanted, metadata.scopes_supported);
    const { id, client, redirectUri } = await clientFor(services, organizationId, serverId, metadata, origin);
    const state = randomSecret();
    const party = { metadata, client, resource };
    const { authorizationUrl, verifier } = await leave(
      party,
      { redirectUri, scope, state },
      services.network,
    );
    await within((tx) =>
      beginFlow(tx, services.seal, state, {
        userId,
        sessionId,
        serverId,
        shared,
        oauthClientId: id,
        verifier,
        metadata,
        resource,
        scope,
        redirectUri,
      }),
    );
    return { authorizationUrl, issuer: metadata.issuer, scopes: scope?.split(" ") ?? [], redirectUri };
  } catch (error) {
    if (!(error instanceof OAuthRefused)) throw error;
    throw new AppError("cannot_connect", "Intray can’t sign in at this server.", {
      extra: {
        reason: error.code,
        ...(ownAddress !== null && NEEDS_CLIENT.has(error.code) && { redirectUri: ownAddress }),
      },
    });
  }
}

/** Refusals that an admin remedies with a client id, for which the authorization server needs our address. */
const NEEDS_CLIENT = new Set<OAuthRefusal>([
  "registration_unavailable",
  "registration_refused",
  "issuer_changed",
]);

/** Reads the admin's scope setting, and the scopes that a call on this connection lacked. */
async function askedBefore(tx: Tx, serverId: string, ownerId: string | null) {
  const [row] = await tx.$queryRaw<{ setting: string | null; needed: string | null }[]>`
    SELECT s.oauth_scope AS setting, g.needed_scope AS needed FROM server s
      LEFT JOIN connection c ON c.organization_id = s.organization_id AND c.server_id = s.id
        AND c.user_id IS NOT DISTINCT FROM ${ownerId}::uuid
      LEFT JOIN oauth_grant g ON g.organization_id = c.organization_id AND g.connection_id = c.id
    WHERE s.organization_id = ${tx.organizationId}::uuid AND s.id = ${serverId}::uuid`;
  return { setting: unionOfScopes(row?.setting, row?.setting && row.needed), needed: row?.needed ?? null };
}

/** Adds the scope for a refresh token, if the authorization server uses one (A17). */
function withOfflineAccess(scope: string | null, supported: string[] | undefined): string | null {
  return scope !== null && supported?.includes("offline_access")
    ? unionOfScopes(scope, "offline_access")
    : scope;
}

// The yes of an admin to an authorization server whose endpoints are at others' hosts.

/**
 * Passes if all endpoints are on the issuer's own site, or where an admin allowed them. `allowHosts` is an admin's
 * yes, with the names as shown to them: stored if exactly these hosts are found. Throws `hosts_not_allowed`,
 * `forbidden`, `not_found`.
 */
async function requireAllowedHosts(
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
