import { z } from "zod";
import type { Tx } from "../db.ts";
import type { Endpoint } from "../mcp/peer.ts";
import type { Principal } from "../principal.ts";
import type { Seal } from "../seal.ts";

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

/** A server's address with the shared connection's credentials. */
export async function sharedEndpoint(
  organizationId: string,
  tx: Tx,
  seal: Seal,
  server: { id: string; url: string },
): Promise<Endpoint> {
  const connection = await tx.connection.findFirst({
    where: { organizationId, serverId: server.id, userId: null },
    select: { id: true, sealedCredentials: true },
  });
  return endpointOf({ organizationId, url: server.url, ...connection }, seal);
}

/** A server's address with a connection's credentials opened. */
export function endpointOf(
  connection: { organizationId: string; id?: string; url: string; sealedCredentials?: string | null },
  seal: Seal,
): Endpoint {
  const { organizationId, id, url, sealedCredentials } = connection;
  if (!id || !sealedCredentials) return { url, headers: {} };
  const opened = seal.open(credentialsPlace(organizationId, id), sealedCredentials);
  const { token } = credentialsSchema.parse(JSON.parse(opened));
  return { url, headers: { authorization: `Bearer ${token}` } };
}
