/** All writes to connections and grants. Each checks the version that was read, so a slower writer loses. */

import type { Actor } from "../../access/access-schema.ts";
import type { Principal } from "../../access/principal.ts";
import { storableText, type Tx } from "../../base/db/db.ts";
import { renewAccess } from "../../base/engine-hints.ts";
import { uuidv7 } from "../../base/ids.ts";
import { publishChange } from "../../base/live-updates.ts";
import type { Seal } from "../../base/seal.ts";
import { appendEvents, ENGINE_ACTOR } from "../../history/events/event-writes.ts";
import type { AuthorizationMetadata } from "../../mcp/oauth/oauth-discovery.ts";
import type { Tokens } from "../../mcp/oauth/oauth-tokens.ts";
import { noteSignedOut } from "../health.ts";
import { lockServer } from "../locks.ts";
import { type Grant, tokensPlace, unionOfScopes } from "./grants.ts";
import { type ChildLog, withLogs } from "./log-tail.ts";

/** Stores stderr lines of a command server. Untrusted text: for operators, never for tenants' logs. */
export async function recordLogTail(tx: Tx, connectionId: string, logs: ChildLog[]): Promise<void> {
  const [row] = await tx.$queryRaw<{ tail: string | null }[]>`SELECT log_tail AS tail FROM connection
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${connectionId}::uuid FOR NO KEY UPDATE`;
  const tail = withLogs(row?.tail ?? null, logs);
  await tx.$executeRaw`UPDATE connection SET log_tail = ${storableText(tail)}, log_tail_at = now()
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${connectionId}::uuid`;
}

export interface NewGrant {
  server: { id: string; name: string };
  shared: boolean;
  issuer: string;
  metadata: AuthorizationMetadata;
  resource: string;
  clientId: string;
  /** The requested scope, used if the authorization server does not name the granted one. */
  scope: string | null;
  tokens: Tokens;
}

/**
 * Stores a sign-in: the member's own or the shared connection gets tokens, and its tasks resume. Returns the
 * connection's id. Throws `not_found` if the server was removed meanwhile.
 */
export async function saveGrant(
  tx: Tx,
  principal: Principal & { userId: string },
  seal: Seal,
  { server, shared, issuer, metadata, resource, clientId, scope, tokens }: NewGrant,
): Promise<string> {
  const { userId, actor } = principal;
  const connectionId = await ensureConnection(tx, server.id, shared ? null : userId, userId);
  const granted = tokens.scope ?? scope;
  const before = await tx.$queryRaw<{ state: string }[]>`SELECT state FROM oauth_grant
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid FOR UPDATE`;
  await tx.$executeRaw`
    INSERT INTO oauth_grant (organization_id, connection_id, state, sealed_tokens, issuer, metadata, resource,
      client_id, scope, renews, refresh_at, expires_at, connected_by)
    VALUES (${tx.organizationId}::uuid, ${connectionId}::uuid, 'connected',
      ${sealTokens(seal, tx.organizationId, connectionId, tokens)}, ${issuer}, ${JSON.stringify(metadata)}::jsonb,
      ${resource}, ${clientId}, ${granted}, ${tokens.refreshToken !== null},
      now() + ${refreshAfterMs(tokens)}::float8 * interval '1 ms',
      now() + ${tokens.expiresInMs}::float8 * interval '1 ms', ${userId}::uuid)
    ON CONFLICT (organization_id, connection_id) DO UPDATE SET state = 'connected',
      sealed_tokens = excluded.sealed_tokens, version = oauth_grant.version + 1, issuer = excluded.issuer,
      metadata = excluded.metadata, resource = excluded.resource, client_id = excluded.client_id,
      scope = excluded.scope, needed_scope = NULL, renews = excluded.renews, refresh_at = excluded.refresh_at,
      expires_at = excluded.expires_at, claimed_until = NULL, connected_by = excluded.connected_by,
      connected_at = now(), refreshed_at = NULL`;
  await lockServer(tx, server.id);
  await renewAccess(tx, connectionId);
  await publishChange(tx, "server", [server.id]);
  const isAgain = before[0] !== undefined && before[0].state !== "revoked";
  await appendEvents(tx, [
    {
      type: isAgain ? "connection.renewed" : "connection.authorized",
      actor,
      data: { serverId: server.id, name: server.name, connectionId, shared, issuer, scope: granted },
    },
  ]);
  return connectionId;
}

/** Replaces the tokens of version `seen`. Returns false if those were replaced or revoked meanwhile. */
export async function saveRenewed(
  tx: Tx,
  seal: Seal,
  connectionId: string,
  seen: bigint,
  tokens: Tokens,
): Promise<boolean> {
  const saved = await tx.$executeRaw`
    UPDATE oauth_grant SET sealed_tokens = ${sealTokens(seal, tx.organizationId, connectionId, tokens)},
      version = version + 1, scope = coalesce(${tokens.scope}, scope), claimed_until = NULL, refreshed_at = now(),
      renews = ${tokens.refreshToken !== null},
      refresh_at = now() + ${refreshAfterMs(tokens)}::float8 * interval '1 ms',
      expires_at = now() + ${tokens.expiresInMs}::float8 * interval '1 ms'
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid
      AND version = ${seen} AND state IN ('connected', 'needs_scope')`;
  return saved === 1;
}

/** Claims the renewal of version `seen` for this process. Returns false if already claimed or renewed. */
export async function claimGrant(
  tx: Tx,
  connectionId: string,
  seen: bigint,
  forMs: number,
): Promise<boolean> {
  const claimed = await tx.$executeRaw`
    UPDATE oauth_grant SET claimed_until = clock_timestamp() + ${forMs} * interval '1 ms'
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid AND version = ${seen}
      AND state IN ('connected', 'needs_scope') AND (claimed_until IS NULL OR claimed_until < clock_timestamp())`;
  return claimed === 1;
}

/** Releases a claim after a failed renewal, so that another process may try. */
export async function releaseGrant(tx: Tx, connectionId: string, seen: bigint): Promise<void> {
  await tx.$executeRaw`UPDATE oauth_grant SET claimed_until = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid AND version = ${seen}`;
}

/** Marks the tokens of version `seen` as ended. Returns false for a newer version, which stays. */
export async function markNeedsReauth(
  tx: Tx,
  grant: Pick<Grant, "connectionId" | "serverId">,
  seen: bigint,
): Promise<boolean> {
  const { connectionId, serverId } = grant;
  const marked = await tx.$executeRaw`
    UPDATE oauth_grant SET state = 'needs_reauth', needed_scope = NULL, claimed_until = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid AND version = ${seen}
      AND state IN ('connected', 'needs_scope')`;
  if (marked !== 1) return false;
  await noteSignedOut(tx, serverId);
  await tell(tx, "connection.needs_reauth", ENGINE_ACTOR, connectionId, serverId);
  return true;
}

/** Marks scopes that version `seen` lacks. The next sign-in requests them plus all current ones (A14). */
export async function markNeedsScope(
  tx: Tx,
  grant: Pick<Grant, "connectionId" | "serverId" | "scope" | "neededScope">,
  seen: bigint,
  scope: string,
): Promise<boolean> {
  const { connectionId, serverId } = grant;
  const needed = unionOfScopes(grant.scope, grant.neededScope, scope);
  const marked = await tx.$executeRaw`UPDATE oauth_grant SET state = 'needs_scope', needed_scope = ${needed}
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid AND version = ${seen}
      AND state IN ('connected', 'needs_scope') AND needed_scope IS DISTINCT FROM ${needed}`;
  if (marked !== 1) return false;
  await tell(tx, "connection.needs_scope", ENGINE_ACTOR, connectionId, serverId, { scope });
  return true;
}

/** Deletes the tokens. Open tasks stay and wait. Returns false if there were no tokens. */
export async function forgetGrant(
  tx: Tx,
  actor: Actor,
  { connectionId, serverId }: Pick<Grant, "connectionId" | "serverId">,
  type: "connection.disconnected" | "connection.revoked",
): Promise<boolean> {
  const forgotten = await tx.$executeRaw`
    UPDATE oauth_grant SET state = 'revoked', sealed_tokens = NULL, needed_scope = NULL, version = version + 1,
      renews = false, refresh_at = NULL, expires_at = NULL, claimed_until = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = ${connectionId}::uuid
      AND state <> 'revoked'`;
  if (forgotten !== 1) return false;
  await renewAccess(tx, connectionId);
  await noteSignedOut(tx, serverId);
  await tell(tx, type, actor, connectionId, serverId);
  return true;
}

async function tell(
  tx: Tx,
  type:
    | "connection.needs_reauth"
    | "connection.needs_scope"
    | "connection.disconnected"
    | "connection.revoked",
  actor: Actor,
  connectionId: string,
  serverId: string,
  more: Record<string, unknown> = {},
): Promise<void> {
  const [named] = await tx.$queryRaw<{ name: string; shared: boolean }[]>`
    SELECT s.name, c.user_id IS NULL AS shared FROM connection c
      JOIN server s ON s.organization_id = c.organization_id AND s.id = c.server_id
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.id = ${connectionId}::uuid`;
  await publishChange(tx, "server", [serverId]);
  await appendEvents(tx, [{ type, actor, data: { serverId, connectionId, ...named, ...more } }]);
}

/**
 * Returns the connection's row, to which tasks refer. The shared one was created with its server; the member
 * who signs in for it becomes responsible.
 */
async function ensureConnection(
  tx: Tx,
  serverId: string,
  ownerId: string | null,
  authorizedBy: string,
): Promise<string> {
  const rows =
    ownerId === null
      ? await tx.$queryRaw<{ id: string }[]>`UPDATE connection SET authorized_by = ${authorizedBy}::uuid
          WHERE organization_id = ${tx.organizationId}::uuid AND server_id = ${serverId}::uuid AND user_id IS NULL
          RETURNING id`
      : await tx.$queryRaw<{ id: string }[]>`
          INSERT INTO connection (organization_id, id, server_id, user_id, authorized_by)
          VALUES (${tx.organizationId}::uuid, ${uuidv7()}::uuid, ${serverId}::uuid, ${ownerId}::uuid, ${authorizedBy}::uuid)
          ON CONFLICT (organization_id, server_id, user_id) WHERE user_id IS NOT NULL
          DO UPDATE SET authorized_by = excluded.authorized_by RETURNING id`;
  if (!rows[0]) throw new Error(`server ${serverId} has no shared connection`);
  return rows[0].id;
}

function sealTokens(seal: Seal, organizationId: string, connectionId: string, tokens: Tokens): string {
  const { accessToken, refreshToken } = tokens;
  return seal.seal(tokensPlace(organizationId, connectionId), JSON.stringify({ accessToken, refreshToken }));
}

/** Renews tokens at 80% of their lifetime, while the old one still works. */
function refreshAfterMs({ expiresInMs, refreshToken }: Tokens): number | null {
  return expiresInMs === null || refreshToken === null ? null : expiresInMs * 0.8;
}
