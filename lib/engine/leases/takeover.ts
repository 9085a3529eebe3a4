import { Prisma, type Tx } from "../../base/db/db.ts";
import type { TaskWork } from "../../lifecycle/engine-task.ts";
import { loadLittleWork } from "../../lifecycle/engine-task-reads.ts";
import type { Era } from "../../mcp/peer.ts";
import { withOpenMessages } from "../../mcp/stream-messages/stream-message-reads.ts";
import {
  ADDRESS_COLUMNS,
  ADDRESS_TABLES,
  type ConnectionAddress,
} from "../../servers/connections/connection-reads.ts";
import type { Late } from "../../servers/server-schema.ts";
import { type Traits, traitsSchema } from "../../servers/traits.ts";
import { LOADED_TOGETHER } from "../tunables.ts";
import { LEASE_QUEUE } from "./lease-queue.ts";

/** Connection and server columns that a watcher needs. */
export interface ConnectionRow extends ConnectionAddress {
  serverId: string;
  eraSetting: "auto" | Era;
  era: Era | null;
  traits: Traits;
  isWell: boolean;
  circuitFailures: number;
  late: Late | null;
  paused: boolean;
  pauses: number;
  known: Known;
}

/** Settings and sign-in that a watcher was started with; scans compare them with the database. */
export interface Known {
  /** Hash of the URL, credentials, operator entry, and configured authentication and era. */
  settings: string;
  /** Time of the last sign-in, as text; null if nobody has signed in. */
  signedInAt: string | null;
}

export interface LeaseRef {
  /** pg-boss's job id and attempt. */
  id: string;
  retryCount: number;
}

export interface Taken {
  epoch: bigint;
  connection: ConnectionRow;
  /** The connection's watched tasks; null if the connection has too many to load with those of others. */
  works: TaskWork[] | null;
  /** Something came on its streams that is not dealt with. */
  hasMessages: boolean;
}

/**
 * Takes over connections of one organization: raises their epochs under a lock on the leases' job rows, so
 * that older watchers can write nothing from here on. Omits connections whose lease this engine no longer has
 * and, if given several, those whose row another transaction has locked; a single connection waits for the
 * lock. FOR KEY SHARE lets heartbeats through and blocks pg-boss from deleting the job row, which is how a
 * lease is taken away.
 */
export async function takeOver(
  tx: Tx,
  leases: { connectionId: string; lease: LeaseRef }[],
  engineId: string,
): Promise<Map<string, Taken>> {
  const held = await tx.$queryRaw<{ connectionId: string }[]>`
    SELECT given.connection_id AS "connectionId"
    FROM unnest(${leases.map(({ lease }) => lease.id)}::uuid[], ${leases.map(({ lease }) => lease.retryCount)}::integer[],
      ${leases.map(({ connectionId }) => connectionId)}::text[]) AS given (id, retry_count, connection_id)
    JOIN pgboss.job j ON j.id = given.id AND j.retry_count = given.retry_count
    WHERE j.name = ${LEASE_QUEUE} AND j.state = 'active' ORDER BY j.id FOR KEY SHARE OF j`;
  const ids = held.map(({ connectionId }) => connectionId);
  // `releaseLease` locks in this order too, so the two never deadlock.
  const free = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM connection
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ANY (${ids}::uuid[])
    ORDER BY id FOR NO KEY UPDATE ${leases.length > 1 ? Prisma.sql`SKIP LOCKED` : Prisma.empty}`;
  const locked = free.map(({ id }) => id);
  const raised = await tx.$queryRaw<{ id: string; epoch: bigint }[]>`
    UPDATE connection SET epoch = epoch + 1, watched_by = ${engineId}::uuid
    WHERE organization_id = ${tx.organizationId}::uuid AND id = ANY (${locked}::uuid[]) RETURNING id, epoch`;
  const rows = await tx.$queryRaw<ConnectionRow[]>(Prisma.sql`
    SELECT ${ADDRESS_COLUMNS}, s.id AS "serverId", s.era_setting AS "eraSetting", s.era, s.traits,
      s.health_state = 'ok' AS "isWell", c.circuit_failures AS "circuitFailures",
      CASE WHEN c.late_every_ms IS NOT NULL THEN jsonb_build_object('everyMs', c.late_every_ms,
        'insteadOfMs', c.late_instead_of_ms, 'answerMs', c.late_answer_ms) END AS late,
      s.paused_at IS NOT NULL AS paused, s.pauses, ${KNOWN} AS known FROM ${ADDRESS_TABLES}
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.id = ANY (${locked}::uuid[])`);
  const works = await loadLittleWork(tx, locked, LOADED_TOGETHER);
  const withMessages = await withOpenMessages(tx, locked);
  const epochs = new Map(raised.map(({ id, epoch }) => [id, epoch]));
  const taken = new Map<string, Taken>();
  for (const row of rows) {
    const epoch = epochs.get(row.connectionId);
    if (epoch === undefined) continue;
    const connection = { ...row, traits: traitsSchema.catch({}).parse(row.traits ?? {}) };
    taken.set(row.connectionId, {
      epoch,
      connection,
      works: works.get(row.connectionId) ?? null,
      hasMessages: withMessages.has(row.connectionId),
    });
  }
  return taken;
}

const KNOWN = Prisma.sql`jsonb_build_object(
  'settings', md5(concat_ws(' ', s.url, s.auth_kind, s.era_setting, s.operator_entry, c.sealed_credentials)),
  'signedInAt', (SELECT g.connected_at::text FROM oauth_grant g
    WHERE g.organization_id = c.organization_id AND g.connection_id = c.id))`;

/** Reads `Known` anew, because notifications get lost when the listening database connection breaks. */
export async function readKnown(tx: Tx, connectionId: string): Promise<Known> {
  const [row] = await tx.$queryRaw<{ known: Known }[]>`SELECT ${KNOWN} AS known FROM ${ADDRESS_TABLES}
    WHERE c.organization_id = ${tx.organizationId}::uuid AND c.id = ${connectionId}::uuid`;
  if (!row) throw new Error(`connection ${connectionId} is gone`);
  return row.known;
}
