/** Ends connections: locally at once, at the authorization server if possible. */

import type { Actor } from "../../access/access-schema.ts";
import { allows } from "../../access/key-scope.ts";
import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import type { Network } from "../../base/network/network.ts";
import type { Services } from "../../base/process/services.ts";
import type { Seal } from "../../base/seal.ts";
import type { OAuthClient } from "../../mcp/oauth/oauth-client.ts";
import type { AuthorizationMetadata } from "../../mcp/oauth/oauth-discovery.ts";
import { revokeToken } from "../../mcp/oauth/oauth-tokens.ts";
import { forgetGrant } from "./connection-writes.ts";
import { type KeptTokens, openTokens, readClientOf, readGrant } from "./grants.ts";

/** Tokens deleted locally that may still work remotely. Secrets: only for `revokeAll`. */
export interface Forgotten {
  metadata: AuthorizationMetadata;
  client: OAuthClient;
  tokens: KeptTokens;
}

/** Ends the caller's own connection or, for admins, the shared one. Throws `not_found`, `forbidden`. */
export async function disconnect(
  services: Services,
  principal: Principal,
  connectionId: string,
): Promise<void> {
  const { organizationId } = principal;
  const forgotten = await services.db.withOrganization(organizationId, async (tx) => {
    const connection = await tx.connection.findFirst({
      where: { organizationId, id: connectionId, OR: [{ userId: null }, { userId: principal.userId }] },
      select: { userId: true, serverId: true },
    });
    const grant = connection && (await readGrant(tx, connectionId));
    if (!connection || !grant || grant.state === "revoked") throw notFound("connection");
    if (connection.userId === null && !allows(principal, "connections:share"))
      throw new AppError("forbidden", "Only admins disconnect the shared connection.");
    return forget(tx, services.seal, principal.actor, connectionId, "connection.disconnected");
  });
  await revokeAll(services.network, forgotten);
}

/**
 * Deletes all grants of a person: their own connections, and shared ones that they signed in for. For ending
 * a membership. Pass the result to `revokeAll` after the commit.
 */
export async function forgetGrantsOf(tx: Tx, seal: Seal, actor: Actor, userId: string): Promise<Forgotten[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT g.connection_id AS id FROM oauth_grant g
      JOIN connection c ON c.organization_id = g.organization_id AND c.id = g.connection_id
    WHERE g.organization_id = ${tx.organizationId}::uuid AND g.state <> 'revoked'
      AND (c.user_id = ${userId}::uuid OR (c.user_id IS NULL AND g.connected_by = ${userId}::uuid))
    ORDER BY g.connection_id FOR UPDATE OF g`;
  return forgetThese(tx, seal, actor, rows);
}

/** Deletes all grants at a server. After the commit, pass the result to `revokeAll`. */
export async function forgetGrantsAt(
  tx: Tx,
  seal: Seal,
  actor: Actor,
  serverId: string,
): Promise<Forgotten[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT g.connection_id AS id FROM oauth_grant g
      JOIN connection c ON c.organization_id = g.organization_id AND c.id = g.connection_id
    WHERE g.organization_id = ${tx.organizationId}::uuid AND c.server_id = ${serverId}::uuid AND g.state <> 'revoked'
    ORDER BY g.connection_id FOR UPDATE OF g`;
  return forgetThese(tx, seal, actor, rows);
}

/** Expects the grants to be locked, because the first event locks the chain's head, which must come last. */
async function forgetThese(tx: Tx, seal: Seal, actor: Actor, rows: { id: string }[]): Promise<Forgotten[]> {
  const forgotten: Forgotten[] = [];
  for (const { id } of rows) forgotten.push(...(await forget(tx, seal, actor, id, "connection.revoked")));
  return forgotten;
}

async function forget(
  tx: Tx,
  seal: Seal,
  actor: Actor,
  connectionId: string,
  type: "connection.disconnected" | "connection.revoked",
): Promise<Forgotten[]> {
  // Waits for a concurrent renewal to finish writing; later ones write nothing.
  await tx.$queryRaw`SELECT 1 FROM oauth_grant WHERE organization_id = ${tx.organizationId}::uuid
    AND connection_id = ${connectionId}::uuid FOR UPDATE`;
  const grant = await readGrant(tx, connectionId);
  if (!grant) return [];
  const client = await readClientOf(tx, seal, grant);
  const tokens = openTokens(seal, tx.organizationId, grant);
  await forgetGrant(tx, actor, grant, type);
  return client && tokens ? [{ metadata: grant.metadata, client, tokens }] : [];
}

/**
 * Revokes refresh tokens first, since many authorization servers then revoke the others too. Tokens that
 * cannot be revoked expire.
 */
export async function revokeAll(network: Network, forgotten: Forgotten[]): Promise<void> {
  await Promise.all(
    forgotten.map(async ({ metadata, client, tokens }) => {
      const { refreshToken, accessToken } = tokens;
      try {
        if (refreshToken !== null)
          await revokeToken({ metadata, client }, refreshToken, "refresh_token", network);
        await revokeToken({ metadata, client }, accessToken, "access_token", network);
      } catch (error) {
        // Imported here, so that modules that only read or write servers do not need the log's environment.
        const { log } = await import("../../base/log.ts");
        log.info({ err: error }, "an authorization server did not take a revocation");
      }
    }),
  );
}
