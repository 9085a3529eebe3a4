/**
 * The fence: a write carries the engine's epoch, so that an engine writes nothing after a takeover. Only a call's outcome is stored
 * without it (`storeOutcome()` of fenced-writes.ts).
 */
import { Prisma, type Tx } from "../../base/db/db.ts";

/** The lease was lost: code that catches this error stops and writes nothing. */
export class LeaseLost extends Error {
  constructor() {
    super("another engine watches this connection now");
    this.name = "LeaseLost";
  }
}

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

/** Selects the columns of `FenceSeen` of connections `c`. */
const SEEN = Prisma.sql`c.epoch, s.paused_at IS NOT NULL AS paused, s.pauses,
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at FROM connection c
  JOIN server s ON s.organization_id = c.organization_id AND s.id = c.server_id`;

/** SQL for one connection's `FenceSeen` and epoch, for a larger query. Locks nothing. */
export function fenceSeen(organizationId: string, connectionId: string): Prisma.Sql {
  return Prisma.sql`SELECT ${SEEN} WHERE c.organization_id = ${organizationId}::uuid AND c.id = ${connectionId}::uuid`;
}

/** Returns the epoch and the server's state per connection. Locks rows in the order of their ids. */
export async function fence(
  tx: Tx,
  connectionIds: string[],
  lock: Prisma.Sql,
): Promise<Map<string, FenceSeen & { epoch: bigint }>> {
  const rows = await tx.$queryRaw<(FenceSeen & { id: string; epoch: bigint })[]>`
    SELECT c.id, ${SEEN} WHERE c.organization_id = ${tx.organizationId}::uuid AND c.id = ANY (${connectionIds}::uuid[])
    ORDER BY c.id ${lock}`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** Waits until Postgres has analyzed the tables; else it would keep plans made for empty tables. */
const ONE_PLAN = Prisma.sql`(SELECT CASE WHEN reltuples > 0 THEN 'force_generic_plan' ELSE 'auto' END
  FROM pg_class WHERE oid = 'protocol_message'::regclass)`;

/**
 * As `fence` with `FENCE.write`, then locks the changes' tasks, whose lease is the change's. Returns also these tasks and their
 * races. `skip`: rows that another transaction has locked are left out, else waited for. `lockMs`: the longest wait of later
 * statements for a lock. From here to the transaction's end statements have one plan (plan-mode.ts), as a change names its rows by
 * their ids: of the messages and lines that it leaves Postgres would else make another plan each time.
 */
export async function fenceWithTasks(
  tx: Tx,
  changes: { connectionId: string; epoch: bigint | null; taskId: string | null }[],
  { skip, lockMs }: { skip: { connections: boolean; tasks: boolean }; lockMs: number | null },
): Promise<{ held: Map<string, FenceSeen & { epoch: bigint }>; locked: Set<string>; raceIds: string[] }> {
  const connectionIds = changes.map(({ connectionId }) => connectionId);
  const epochs = changes.map(({ epoch }) => epoch?.toString() ?? null);
  const taskIds = changes.map(({ taskId }) => taskId);
  const skipping = (skips: boolean) => (skips ? Prisma.sql`SKIP LOCKED` : Prisma.empty);
  // The tasks' ids come out of `held`, so that the connections are locked before.
  const rows = await tx.$queryRaw<FencedRow[]>`
    WITH held AS MATERIALIZED (
        SELECT c.id, ${SEEN} WHERE c.organization_id = ${tx.organizationId}::uuid AND c.id = ANY (${connectionIds}::uuid[])
        ORDER BY c.id FOR SHARE OF c ${skipping(skip.connections)}),
      locked AS MATERIALIZED (
        SELECT t.id, t.race_id FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ANY (ARRAY(
          SELECT change.task FROM held, unnest(${connectionIds}::uuid[], ${epochs}::bigint[], ${taskIds}::uuid[])
            AS change (connection, epoch, task)
          WHERE change.connection = held.id AND (change.epoch IS NULL OR change.epoch = held.epoch)))
        ORDER BY t.id FOR NO KEY UPDATE ${skipping(skip.tasks)})
    SELECT held.*, set_config('plan_cache_mode', ${ONE_PLAN}, true), set_config('lock_timeout', ${String(lockMs ?? 0)}, true),
      (SELECT array_agg(id) FROM locked) AS "taskIds",
      (SELECT array_agg(race_id) FILTER (WHERE race_id IS NOT NULL) FROM locked) AS "raceIds" FROM held`;
  return {
    held: new Map(rows.map((row) => [row.id, row])),
    locked: new Set(rows[0]?.taskIds ?? []),
    raceIds: rows[0]?.raceIds ?? [],
  };
}

interface FencedRow extends FenceSeen {
  id: string;
  epoch: bigint;
  taskIds: string[] | null;
  raceIds: string[] | null;
}
