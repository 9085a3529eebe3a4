import { z } from "zod";
import type { Tx } from "../db.ts";
import { notFound } from "../errors.ts";
import type { Endpoint } from "../mcp/peer.ts";
import type { Principal } from "../principal.ts";
import type { Seal } from "../seal.ts";
import { EntryGone, type OperatorServers, operatorServers } from "../servers/operator-file.ts";

/** The connection a start uses: the member's own, else the organization's shared one; a key has no own. Null: none. */
export async function connectionFor(
  organizationId: string,
  tx: Tx,
  principal: Principal,
  serverId: string,
): Promise<{ id: string } | null> {
  const found = await tx.connection.findMany({
    where: {
      organizationId,
      serverId,
      OR: [{ userId: null }, ...(principal.userId ? [{ userId: principal.userId }] : [])],
    },
    select: { id: true, userId: true },
  });
  return found.find((connection) => connection.userId !== null) ?? found[0] ?? null;
}

/** What is sealed in `connection.sealed_credentials`. */
export const credentialsSchema = z.object({ kind: z.literal("bearer"), token: z.string() });

/** Where a connection's credentials are sealed to. */
export function credentialsPlace(organizationId: string, connectionId: string) {
  return { organizationId, table: "connection", row: connectionId, column: "sealed_credentials" };
}

/** What it takes to know where a connection leads. */
export interface ConnectionAddress {
  organizationId: string;
  /** The organization's. */
  slug: string;
  connectionId: string;
  url: string;
  sealedCredentials: string | null;
  /** The entry of the operator's file that defines the server; null: an admin did. */
  operatorEntry: string | null;
}

/** A server's endpoint with the shared connection's credentials. Throws as `endpointOf`. */
export async function sharedEndpoint(
  organizationId: string,
  tx: Tx,
  seal: Seal,
  server: { id: string },
): Promise<Endpoint> {
  return endpointOf(await sharedAddress(organizationId, tx, server.id), seal);
}

/** The shared connection of a server. Throws `not_found`. */
export async function sharedAddress(
  organizationId: string,
  tx: Tx,
  serverId: string,
): Promise<ConnectionAddress> {
  const [address] = await tx.$queryRaw<ConnectionAddress[]>`
    SELECT c.organization_id AS "organizationId", o.slug, c.id AS "connectionId", s.url,
      c.sealed_credentials AS "sealedCredentials", s.operator_entry AS "operatorEntry"
    FROM connection c JOIN server s ON s.organization_id = c.organization_id AND s.id = c.server_id
      JOIN organization o ON o.id = c.organization_id
    WHERE c.organization_id = ${organizationId}::uuid AND s.id = ${serverId}::uuid AND c.user_id IS NULL`;
  if (!address) throw notFound("server");
  return address;
}

/**
 * Where a connection leads, with its credentials opened. An operator's server is what the file of this process says it
 * is: its row alone grants nothing. Throws EntryGone where the file does not give it to the organization (any more).
 */
export function endpointOf(
  connection: ConnectionAddress,
  seal: Seal,
  servers: OperatorServers = operatorServers(),
): Endpoint {
  const { organizationId, slug, connectionId, url, sealedCredentials, operatorEntry } = connection;
  if (operatorEntry !== null) {
    const defined = servers.get(operatorEntry);
    if (!defined?.organizations.has(slug)) throw new EntryGone();
    return defined.endpoint;
  }
  if (sealedCredentials === null) return { url, headers: {} };
  const opened = seal.open(credentialsPlace(organizationId, connectionId), sealedCredentials);
  const { token } = credentialsSchema.parse(JSON.parse(opened));
  return { url, headers: { authorization: `Bearer ${token}` } };
}
