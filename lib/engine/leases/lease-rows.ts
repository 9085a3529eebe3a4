/** Queries on the lease rows: create, count, recover and release leases. */

import { fromPrisma, type PgBoss } from "pg-boss";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { LEASES } from "../../base/engine-hints.ts";
import { CAPACITY, MOVED_A_TURN, NO_SHARE_AFTER_MS, OVERDUE_LEASE_MS } from "../tunables.ts";
import { LEASE_QUEUE, type LeaseData } from "./lease-queue.ts";
import type { LeaseRef } from "./takeover.ts";

/** Matches pg-boss's unique index job_i6: jobs that have not ended, one per connection. */
const UNFINISHED = Prisma.sql`name = ${LEASE_QUEUE} AND policy = 'exclusive' AND state <= 'active'`;

/**
 * Creates a lease for each connection with open work that has none; the queue's policy refuses duplicates. Returns
 * whether there was any such connection.
 */
export async function makeLeases(database: Database, boss: PgBoss): Promise<boolean> {
  const rows = await database.gate<LeaseData>(Prisma.sql`
    SELECT organization_id AS "organizationId", connection_id AS "connectionId"
    FROM gate.connections_with_open_work() WHERE NOT EXISTS (
      SELECT FROM pgboss.job WHERE ${UNFINISHED} AND coalesce(singleton_key, '') = connection_id::text)`);
  if (rows.length === 0) return false;
  await boss.insert(
    LEASE_QUEUE,
    rows.map((data) => ({ data, singletonKey: data.connectionId })),
  );
  return true;
}

/** Returns whether any of these connections lacks a lease, and whether any of their leases waits. */
export async function findLeasesToTake(
  database: Database,
  connectionIds: string[],
): Promise<{ lacking: boolean; waiting: boolean }> {
  const rows = await database.gate<{ waiting: boolean }>(Prisma.sql`
    SELECT state < 'active' AS waiting FROM pgboss.job
    WHERE ${UNFINISHED} AND coalesce(singleton_key, '') = ANY (${connectionIds})`);
  return { lacking: rows.length < connectionIds.length, waiting: rows.some(({ waiting }) => waiting) };
}

/**
 * Takes back expired leases that no engine has fetched since, which an unchanged retry count proves: the last
 * holder is still the last engine that wrote. Returns their ids.
 */
export async function takeBack(boss: PgBoss, leases: LeaseRef[]): Promise<string[]> {
  const { rows } = await boss.getDb().executeSql(
    `UPDATE pgboss.job j SET state = 'active', heartbeat_on = now()
     FROM unnest($2::uuid[], $3::integer[]) AS given (id, retry_count)
     WHERE j.name = $1 AND j.state = 'retry' AND j.id = given.id AND j.retry_count = given.retry_count
     RETURNING j.id`,
    [LEASE_QUEUE, leases.map(({ id }) => id), leases.map(({ retryCount }) => retryCount)],
  );
  return (rows as { id: string }[]).map(({ id }) => id);
}

/** Returns the database's clock in ms, by the leases' own connections, which steps never block. */
export async function databaseTime(boss: PgBoss): Promise<number> {
  const { rows } = await boss
    .getDb()
    .executeSql("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at");
  const [row] = rows as { at: number }[];
  if (!row) throw new Error("the database did not tell the time");
  return row.at;
}

/** What else the count of the leases tells. */
export interface Condition {
  /** Held leases without a heartbeat for too long: their engine is dead, or could not reach the database. */
  expired: number;
  /** The database's uptime in ms. */
  upMs: number;
}

/** Counts leases and live engines, by the leases' own connections. Engine `engineId` counts as live. */
export async function takeCensus(boss: PgBoss, engineId: string): Promise<Census & Condition> {
  const { rows } = await boss.getDb().executeSql(
    `SELECT count(*)::integer AS leases, count(*) FILTER (WHERE state < 'active')::integer AS waiting,
      count(*) FILTER (WHERE state < 'active' AND start_after < now() - $2 * interval '1 ms')::integer AS overdue,
      count(*) FILTER (WHERE state = 'active'
        AND heartbeat_on + heartbeat_seconds * interval '1 s' < now())::integer AS expired,
      (SELECT 1 + count(*)::integer FROM engine WHERE id <> $1::uuid
        AND seen_at > now() - $3 * interval '1 ms') AS engines,
      (extract(epoch FROM clock_timestamp() - pg_postmaster_start_time()) * 1000)::float8 AS "upMs"
    FROM pgboss.job WHERE name = $4 AND policy = 'exclusive' AND state <= 'active'`,
    [engineId, OVERDUE_LEASE_MS, NO_SHARE_AFTER_MS, LEASE_QUEUE],
  );
  const [census] = rows as (Census & Condition)[];
  if (!census) throw new Error("the leases were not counted");
  return census;
}

/**
 * Releases leases of one organization in a transaction that recounts open work. A connection without open
 * work gets its lease completed; one with open work also gets a new lease, and engines are notified. The lock
 * on the connection rows makes a new task wait, so that its wake-up sees the outcome.
 */
export async function releaseLease(
  tx: Tx,
  boss: PgBoss,
  engineId: string,
  leases: { lease: LeaseRef; data: LeaseData }[],
): Promise<void> {
  const ids = leases.map(({ data }) => data.connectionId);
  await tx.$queryRaw`SELECT 1 FROM connection WHERE organization_id = ${tx.organizationId}::uuid
    AND id = ANY (${ids}::uuid[]) ORDER BY id FOR UPDATE`;
  await tx.$executeRaw`UPDATE connection SET watched_by = NULL WHERE organization_id = ${tx.organizationId}::uuid
    AND id = ANY (${ids}::uuid[]) AND watched_by = ${engineId}::uuid`;
  const open = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM unnest(${ids}::uuid[]) AS given (id)
    WHERE EXISTS (SELECT FROM task WHERE organization_id = ${tx.organizationId}::uuid AND connection_id = given.id AND watched)`;
  const stillOpen = new Set(open.map(({ id }) => id));
  const db = fromPrisma(tx);
  await boss.complete(
    LEASE_QUEUE,
    leases.map(({ lease }) => lease),
    null,
    { db },
  );
  const anew = leases.filter(({ data }) => stillOpen.has(data.connectionId)).map(({ data }) => data);
  if (anew.length === 0) return;
  await boss.insert(
    LEASE_QUEUE,
    anew.map((data) => ({ data, singletonKey: data.connectionId })),
    { db },
  );
  await tx.$executeRaw`SELECT pg_notify('intray_wake', ${LEASES})`;
}

export interface Census {
  /** Leases that an engine holds or that wait for one. */
  leases: number;
  waiting: number;
  /** Waiting leases that are due for longer than `OVERDUE_LEASE_MS`, so any engine may take them. */
  overdue: number;
  /** Engines seen recently, including the one that counts; at least 1. */
  engines: number;
}

function fairShare({ leases, engines }: Census): number {
  return Math.ceil(leases / engines);
}

/**
 * Returns how many leases an engine with `held` leases may take now. Overdue leases are open to every engine.
 */
export function roomFor(held: number, census: Census): number {
  const ours = Math.max(0, fairShare(census) - held);
  return Math.max(0, Math.min(CAPACITY - held, census.waiting, Math.max(ours, census.overdue)));
}

/**
 * Returns how many leases an engine should give back now: at most `MOVED_A_TURN`, and none while leases wait.
 * Up to 5% above the share is tolerated, because nobody polls a connection while its lease moves. `held` may include
 * leases that were taken after the count.
 */
export function surplusOf(held: number, census: Census): number {
  const share = fairShare({ ...census, leases: Math.max(census.leases, held) });
  if (census.waiting > 0 || held - share <= share / 20) return 0;
  return Math.min(held - share, MOVED_A_TURN);
}
