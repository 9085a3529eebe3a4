import type { Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { connectionsToSameServer } from "../../servers/connections/connection-reads.ts";
import { knownAmong, type TakenFind } from "./handle.ts";

/**
 * Refuses a find that is a known task by now (`task_known`), since two rows for one task would ask its
 * questions twice. Also refuses any find while a start is under way, which may have made the task without
 * storing its handle yet (`start_under_way`). The caller holds the connection.
 */
export async function refuseUnlessUnknown(tx: Tx, connectionId: string, find: TakenFind): Promise<void> {
  const known = await knownAmong(tx, connectionId, [find.handleDigest]);
  if (known.size > 0) throw new AppError("task_known", "Intray already knows this task.");
  // A long call may still make a task, unless its tool never does.
  const starting = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM task WHERE organization_id = ${tx.organizationId}::uuid
    AND connection_id IN ${connectionsToSameServer(tx.organizationId, connectionId)} AND watched AND (state = 'starting' OR (NOT durable
      AND handle_digest IS NULL AND state IN ('working', 'input_required')
      AND coalesce(tool_hints->>'taskSupport', 'optional') <> 'forbidden')) LIMIT 1`;
  if (starting.length > 0)
    throw new AppError(
      "start_under_way",
      "A task is being started on this server just now, and this may be it. Try again in a moment.",
    );
}

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
