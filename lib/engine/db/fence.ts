/** The fence: every write of an engine carries its epoch, so that once another one has taken over nothing is written. */
import { Prisma, type Tx } from "../../base/db/db.ts";

/** What a fenced transaction sees of the connection's server. */
export interface ServerPause {
  paused: boolean;
  /** How often it was paused, or went on: what was seen last counts, in whatever order looks end. */
  pauses: number;
}

/** And of the time at which it looked. */
export interface FenceSeen extends ServerPause {
  /** By the database's clock, in ms: the one that every engine shares, and that no suspended machine holds up. */
  at: number;
}

/** How the connections' rows are locked, so that nobody takes one over before the commit. */
export const FENCE = {
  /** For what only reads: not at all, since a lock is a write to the disk. */
  read: Prisma.empty,
  write: Prisma.sql`FOR SHARE OF c`,
  /** For what writes to these rows themselves: two that only shared one first would wait for each other. */
  own: Prisma.sql`FOR NO KEY UPDATE OF c`,
};

/** By connection: whose it is now, and how its server is. Locked in the order of ids. */
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
