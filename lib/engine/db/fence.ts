/** The fence: every write carries the engine's epoch, so that an engine writes nothing after a takeover. */
import { Prisma, type Tx } from "../../base/db/db.ts";

/** State of the connection's server, as seen by a transaction. */
export interface ServerPause {
  paused: boolean;
  /**
   * Counts pauses and resumptions. The highest count is the newest state, in whatever order transactions end.
   */
  pauses: number;
}

/** The server's state with the time at which it was read. */
export interface FenceSeen extends ServerPause {
  /** Database time in ms: one clock for all engines, unaffected by suspended machines. */
  at: number;
}

/** Row locks on connections, which block a takeover until the commit. */
export const FENCE = {
  /** No lock for reads, because a lock is a disk write. */
  read: Prisma.empty,
  write: Prisma.sql`FOR SHARE OF c`,
  /**
   * For writes to the connection rows themselves: two transactions upgrading a shared lock would deadlock.
   */
  own: Prisma.sql`FOR NO KEY UPDATE OF c`,
};

/** Returns the epoch and the server's state per connection. Locks rows in the order of their ids. */
export async function fence(
  organizationId: string,
  tx: Tx,
  connectionIds: string[],
  lock: Prisma.Sql,
): Promise<Map<string, FenceSeen & { epoch: bigint }>> {
  const rows = await tx.$queryRaw<(FenceSeen & { id: string; epoch: bigint })[]>`
    SELECT c.id, c.epoch, s.paused_at IS NOT NULL AS paused, s.pauses,
      (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at FROM connection c
      JOIN server s ON s.organization_id = c.organization_id AND s.id = c.server_id
    WHERE c.organization_id = ${organizationId}::uuid AND c.id = ANY (${connectionIds}::uuid[])
    ORDER BY c.id ${lock}`;
  return new Map(rows.map((row) => [row.id, row]));
}
