/** Reads a connection's grant and its client. */
import { z } from "zod";
import type { Tx } from "../../base/db/db.ts";
import type { Seal } from "../../base/seal.ts";
import type { OAuthClient } from "../../mcp/oauth/oauth-client.ts";
import { type AuthorizationMetadata, authorizationMetadataSchema } from "../../mcp/oauth/oauth-discovery.ts";

/** A connection's grant. Durations in ms from now, by the database's clock. */
export interface Grant {
  connectionId: string;
  serverId: string;
  state: "connected" | "needs_reauth" | "needs_scope" | "revoked";
  version: bigint;
  sealedTokens: string | null;
  issuer: string;
  metadata: AuthorizationMetadata;
  resource: string;
  clientId: string;
  scope: string | null;
  neededScope: string | null;
  renews: boolean;
  refreshInMs: number | null;
  expiresInMs: number | null;
}

/** Returns true if calls can use the grant. */
export function isUsable(grant: Pick<Grant, "state"> | null): boolean {
  return grant?.state === "connected" || grant?.state === "needs_scope";
}

/** Returns the grant, or null if nobody ever signed in for this connection. */
export async function readGrant(tx: Tx, connectionId: string): Promise<Grant | null> {
  const [row] = await tx.$queryRaw<(Omit<Grant, "metadata"> & { metadata: unknown })[]>`
    SELECT g.connection_id AS "connectionId", c.server_id AS "serverId", g.state, g.version,
      g.sealed_tokens AS "sealedTokens", g.issuer, g.metadata, g.resource, g.client_id AS "clientId", g.scope,
      g.needed_scope AS "neededScope", g.renews,
      (extract(epoch FROM g.refresh_at - now()) * 1000)::float8 AS "refreshInMs",
      (extract(epoch FROM g.expires_at - now()) * 1000)::float8 AS "expiresInMs"
    FROM oauth_grant g
      JOIN connection c ON c.organization_id = g.organization_id AND c.id = g.connection_id
    WHERE g.organization_id = ${tx.organizationId}::uuid AND g.connection_id = ${connectionId}::uuid`;
  return row ? { ...row, metadata: authorizationMetadataSchema.parse(row.metadata) } : null;
}

export function tokensPlace(organizationId: string, connectionId: string) {
  return { organizationId, table: "oauth_grant", row: connectionId, column: "sealed_tokens" };
}

/** The sealed content of `oauth_grant.sealed_tokens`. */
const tokensSchema = z.object({ accessToken: z.string(), refreshToken: z.string().nullable() });
export type KeptTokens = z.infer<typeof tokensSchema>;

export function openTokens(seal: Seal, organizationId: string, grant: Grant): KeptTokens | null {
  if (grant.sealedTokens === null) return null;
  const opened = seal.open(tokensPlace(organizationId, grant.connectionId), grant.sealedTokens);
  return tokensSchema.parse(JSON.parse(opened));
}

export function secretPlace(organizationId: string, clientRowId: string) {
  return { organizationId, table: "oauth_client", row: clientRowId, column: "sealed_secret" };
}

/** The sealed content of `oauth_client.sealed_secret`. */
const secretSchema = z.object({ secret: z.string(), method: z.string().nullable() });

export function openClient(
  seal: Seal,
  organizationId: string,
  row: { id: string; clientId: string; sealedSecret: string | null },
): OAuthClient {
  if (row.sealedSecret === null) return { clientId: row.clientId, secret: null, method: "none" };
  const opened = seal.open(secretPlace(organizationId, row.id), row.sealedSecret);
  return { clientId: row.clientId, ...secretSchema.parse(JSON.parse(opened)) };
}

/** Returns the client that received the grant, or null if replaced or deleted. */
export async function readClientOf(
  tx: Tx,
  seal: Seal,
  grant: Pick<Grant, "serverId" | "issuer" | "clientId">,
): Promise<OAuthClient | null> {
  const { serverId, issuer, clientId } = grant;
  const row = await tx.oauthClient.findFirst({
    where: { organizationId: tx.organizationId, serverId, issuer, clientId },
    select: { id: true, clientId: true, sealedSecret: true },
  });
  return row && openClient(seal, tx.organizationId, row);
}

/** Returns all distinct scopes, space-separated, or null if there are none. */
export function unionOfScopes(...scopes: (string | null | undefined)[]): string | null {
  const all = new Set(scopes.flatMap((scope) => scope?.split(/\s+/).filter(Boolean) ?? []));
  return all.size === 0 ? null : [...all].join(" ");
}
