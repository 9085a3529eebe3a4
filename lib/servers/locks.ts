/**
 * Locks around a server, in one order everywhere to avoid deadlocks: connections, their grants, the server,
 * then tasks (lib/lifecycle/task-writes.ts). An engine locks its connection before it knows the server's
 * health.
 */
import type { Tx } from "../base/db/db.ts";
import { notFound } from "../base/errors.ts";

/** Locks a server's connections and grants. Call first in a transaction that changes the server too. */
export async function lockConnections(tx: Tx, serverId: string): Promise<void> {
  await tx.$queryRaw`SELECT FROM connection
    WHERE organization_id = ${tx.organizationId}::uuid AND server_id = ${serverId}::uuid ORDER BY id FOR NO KEY UPDATE`;
  await tx.$queryRaw`SELECT FROM oauth_grant g
      JOIN connection c ON c.organization_id = g.organization_id AND c.id = g.connection_id
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.server_id = ${serverId}::uuid
    ORDER BY g.connection_id FOR UPDATE OF g`;
}

/** Keeps a server from being removed until the transaction ends. Throws `not_found`. */
export async function lockServer(tx: Tx, serverId: string): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM server
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${serverId}::uuid AND removed_at IS NULL AND NOT builtin FOR SHARE`;
  if (rows.length === 0) throw notFound("server");
}
