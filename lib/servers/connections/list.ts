/** A caller's connections to a server: their own, and the shared one. */

import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import type { ConnectionState, ServerConnection } from "./connection-schema.ts";

interface Row {
  connectionId: string | null;
  state: "connected" | "needs_reauth" | "needs_scope" | "revoked" | null;
  issuer: string | null;
  scope: string | null;
  neededScope: string | null;
  connectedAt: Date | null;
  expiresAt: Date | null;
  renews: boolean | null;
  byId: string | null;
  byName: string | null;
  openTasks: number;
}

/** Lists none for a server without OAuth, and only the shared one for a key. Throws `not_found`. */
export async function listConnections(
  tx: Tx,
  { userId }: Principal,
  serverId: string,
): Promise<ServerConnection[]> {
  const server = await tx.server.findFirst({
    where: { organizationId: tx.organizationId, id: serverId, removedAt: null, builtin: false },
    select: { authKind: true },
  });
  if (!server) throw notFound("server");
  if (server.authKind !== "oauth") return [];
  const own = userId === null ? [] : [await read(tx, serverId, userId)];
  return [...own, await read(tx, serverId, null)];
}

async function read(tx: Tx, serverId: string, ownerId: string | null): Promise<ServerConnection> {
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT c.id AS "connectionId", g.state, g.issuer, g.scope, g.needed_scope AS "neededScope",
      g.connected_at AS "connectedAt", g.expires_at AS "expiresAt", g.renews, u.id AS "byId", u.name AS "byName",
      (SELECT count(*)::integer FROM task t WHERE t.organization_id = c.organization_id AND t.connection_id = c.id
        AND t.finished_at IS NULL AND t.watched) AS "openTasks"
    FROM connection c
      LEFT JOIN oauth_grant g ON g.organization_id = c.organization_id AND g.connection_id = c.id
      LEFT JOIN "user" u ON u.id = g.connected_by
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.server_id = ${serverId}::uuid
      AND c.user_id IS NOT DISTINCT FROM ${ownerId}::uuid`;
  const state = shownState(row?.state ?? null);
  const isKnown = row !== undefined && state !== "not_connected";
  return {
    id: row?.connectionId ?? null,
    shared: ownerId === null,
    state,
    connectedBy: isKnown && row.byId && row.byName ? { id: row.byId, name: row.byName } : null,
    issuer: isKnown ? row.issuer : null,
    scopes: isKnown ? (row.scope?.split(" ") ?? []) : [],
    neededScopes: isKnown ? (row.neededScope?.split(" ") ?? []) : [],
    connectedAt: isKnown ? (row.connectedAt?.toISOString() ?? null) : null,
    expiresAt: isKnown ? (row.expiresAt?.toISOString() ?? null) : null,
    renews: isKnown && row.renews === true,
    openTasks: row?.openTasks ?? 0,
  };
}

/** SQL for the state of connection `link`; aliases `s` (its server) and `oauth` (its grant, left joined). */
export const SHOWN_STATE = Prisma.sql`CASE WHEN s.auth_kind <> 'oauth' OR s.operator_entry IS NOT NULL THEN 'connected'
  WHEN oauth.state IS NULL OR oauth.state = 'revoked' THEN 'not_connected' ELSE oauth.state END`;
export const JOIN_GRANT = Prisma.sql`LEFT JOIN oauth_grant oauth ON oauth.organization_id = link.organization_id
  AND oauth.connection_id = link.id`;

/** Returns the state for people, who see a revoked connection as not connected. */
function shownState(state: Row["state"]): ConnectionState {
  return state === null || state === "revoked" ? "not_connected" : state;
}
