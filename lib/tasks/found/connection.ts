import type { Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";

/** The shared connection of a server in use, on which its tasks are listed. Throws `not_found`. */
export async function sharedConnection(tx: Tx, serverId: string): Promise<string> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT c.id FROM connection c JOIN server s ON s.organization_id = c.organization_id AND s.id = c.server_id
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.server_id = ${serverId}::uuid AND c.user_id IS NULL
      AND s.removed_at IS NULL`;
  if (!rows[0]) throw notFound("server");
  return rows[0].id;
}

/**
 * Keeps the engine from storing handles of this connection until the transaction ends, since each of its
 * transactions takes the row FOR SHARE: a task unknown now stays unknown until then. Comes before all other
 * locks.
 */
export async function holdConnection(tx: Tx, connectionId: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM connection
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ${connectionId}::uuid FOR NO KEY UPDATE`;
}
