import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import type { Services } from "../../base/process/services.ts";
import type { Endpoint } from "../../mcp/peer.ts";
import { EntryGone, type OperatorServers, operatorServers } from "../operator-file.ts";
import { GrantAccess } from "./access.ts";

/**
 * Returns the connection for a start: the member's own, else the shared one. API keys have no connections of their
 * own. With OAuth the connection must be connected. Throws `not_found`, `not_connected`.
 */
export async function connectionFor(
  tx: Tx,
  principal: Principal,
  serverId: string,
): Promise<{ id: string; isShared: boolean }> {
  const found = await candidates(tx, principal, serverId);
  const usable = found.find(({ isReady }) => isReady);
  if (usable) return { id: usable.id, isShared: usable.isShared };
  if (found.length === 0) throw notFound("server");
  throw new AppError(
    "not_connected",
    principal.userId === null
      ? "The shared connection to this server is not connected; an admin has to sign in at the server first."
      : "You are not connected to this server. Sign in at it first, or ask an admin to connect it for all.",
    { extra: { serverId } },
  );
}

/**
 * Returns the address with which the web calls the server: the one that a start would use, or one without tokens if
 * nobody is connected. Throws `not_found`.
 */
export async function addressFor(
  tx: Tx,
  principal: Pick<Principal, "userId">,
  serverId: string,
): Promise<ConnectionAddress> {
  const found = await candidates(tx, principal, serverId);
  const chosen = found.find(({ isReady }) => isReady) ?? found.find(({ isShared }) => isShared);
  if (!chosen) throw notFound("server");
  return readAddress(
    Prisma.sql`c.organization_id = ${tx.organizationId}::uuid AND c.id = ${chosen.id}::uuid`,
    tx,
  );
}

/** Returns own connections before shared ones. */
function candidates(
  tx: Tx,
  { userId }: Pick<Principal, "userId">,
  serverId: string,
): Promise<{ id: string; isShared: boolean; isReady: boolean }[]> {
  return tx.$queryRaw`
    SELECT c.id, c.user_id IS NULL AS "isShared",
      CASE WHEN s.auth_kind = 'oauth' THEN coalesce(g.state IN ('connected', 'needs_scope'), false)
        ELSE c.user_id IS NULL END AS "isReady"
    FROM connection c JOIN server s ON s.organization_id = c.organization_id AND s.id = c.server_id
      LEFT JOIN oauth_grant g ON g.organization_id = c.organization_id AND g.connection_id = c.id
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.server_id = ${serverId}::uuid
      AND s.removed_at IS NULL AND NOT s.builtin AND (c.user_id IS NULL OR c.user_id = ${userId}::uuid)
    ORDER BY c.user_id NULLS LAST`;
}

/** The sealed content of `connection.sealed_credentials`. */
const credentialsSchema = z.object({ kind: z.literal("bearer"), token: z.string() });

/** The place of a connection's sealed credentials. */
export function credentialsPlace(organizationId: string, connectionId: string) {
  return { organizationId, table: "connection", row: connectionId, column: "sealed_credentials" };
}

/** The data that determines a connection's endpoint. */
export interface ConnectionAddress {
  organizationId: string;
  /** The organization's slug. */
  slug: string;
  connectionId: string;
  /** The connection's owner; null for the shared one. */
  userId: string | null;
  url: string;
  authKind: string;
  sealedCredentials: string | null;
  /** The entry of the operator's file that defines the server; null if an admin defined it. */
  operatorEntry: string | null;
}

/** Returns a server's endpoint with the shared connection's credentials. Throws like `endpointOf`. */
export async function sharedEndpoint(services: Services, tx: Tx, server: { id: string }): Promise<Endpoint> {
  const shared = Prisma.sql`c.organization_id = ${tx.organizationId}::uuid AND s.id = ${server.id}::uuid
    AND c.user_id IS NULL`;
  return endpointOf(await readAddress(shared, tx), services);
}

/** `which` selects the organization and one of its connections. */
async function readAddress(which: Prisma.Sql, tx: Tx): Promise<ConnectionAddress> {
  const [address] = await tx.$queryRaw<ConnectionAddress[]>(
    Prisma.sql`SELECT ${ADDRESS_COLUMNS} FROM ${ADDRESS_TABLES} WHERE ${which}`,
  );
  if (!address) throw notFound("server");
  return address;
}

/** The columns of a ConnectionAddress, for larger queries. */
export const ADDRESS_COLUMNS = Prisma.sql`c.organization_id AS "organizationId", o.slug, c.id AS "connectionId",
  c.user_id AS "userId", s.url, s.auth_kind AS "authKind", c.sealed_credentials AS "sealedCredentials",
  s.operator_entry AS "operatorEntry"`;
export const ADDRESS_TABLES = Prisma.sql`connection c
  JOIN server s ON s.organization_id = c.organization_id AND s.id = c.server_id
  JOIN organization o ON o.id = c.organization_id`;

/**
 * Like `endpointOf`, for reads that a person asked for. Whatever the server answers, the connection's sign-in stays
 * as it is.
 */
export function readingEndpointOf(connection: ConnectionAddress, services: Services): Endpoint {
  const endpoint = endpointOf(connection, services);
  if (!("access" in endpoint)) return endpoint;
  const { organizationId, connectionId } = connection;
  return { ...endpoint, access: new GrantAccess(services, organizationId, connectionId, false) };
}

/**
 * Returns a connection's endpoint with its credentials opened. Only this process's file defines an operator's server;
 * the server's row in the database grants nothing. Throws EntryGone if the file does not give the server to the
 * organization.
 */
export function endpointOf(
  connection: ConnectionAddress,
  services: Services,
  servers: OperatorServers = operatorServers(),
): Endpoint {
  const { organizationId, slug, connectionId, url, authKind, sealedCredentials, operatorEntry } = connection;
  if (operatorEntry !== null) {
    const defined = servers.get(operatorEntry);
    if (!defined?.organizations.has(slug)) throw new EntryGone();
    return defined.endpoint;
  }
  if (authKind === "oauth")
    return { url, headers: {}, access: new GrantAccess(services, organizationId, connectionId) };
  if (sealedCredentials === null) return { url, headers: {} };
  const opened = services.seal.open(credentialsPlace(organizationId, connectionId), sealedCredentials);
  const { token } = credentialsSchema.parse(JSON.parse(opened));
  return { url, headers: { authorization: `Bearer ${token}` } };
}

/**
 * Subquery for the ids of all connections to the same URL, including this one. A server may be registered twice, and
 * members may have their own connections to it. All of them see the same tasks.
 */
export function connectionsToSameServer(organizationId: string, connectionId: string): Prisma.Sql {
  return Prisma.sql`(SELECT other.id FROM connection other
    JOIN server there ON there.organization_id = other.organization_id AND there.id = other.server_id
    WHERE other.organization_id = ${organizationId}::uuid AND there.url = (
      SELECT here.url FROM connection this
      JOIN server here ON here.organization_id = this.organization_id AND here.id = this.server_id
      WHERE this.organization_id = ${organizationId}::uuid AND this.id = ${connectionId}::uuid))`;
}
