import { ADDRESS_COLUMNS, ADDRESS_TABLES, type ConnectionAddress } from "../connections/queries.ts";
import { Prisma, type Tx } from "../db.ts";
import type { Era } from "../mcp/peer.ts";

/** What a watcher needs of its connection and server. */
export interface ConnectionRow extends ConnectionAddress {
  serverId: string;
  eraSetting: "auto" | Era;
  era: Era | null;
}

export interface LeaseRef {
  /** pg-boss's job id and attempt. */
  id: string;
  retryCount: number;
}

/**
 * Takes a connection over: raises its epoch while the lease's job row is locked and found to be still ours, so that
 * no older watcher writes from here on. Null: the lease is not ours (any more).
 */
export async function takeOver(
  organizationId: string,
  tx: Tx,
  connectionId: string,
  lease: LeaseRef,
  engineId: string,
): Promise<{ epoch: bigint; connection: ConnectionRow } | null> {
  const held = await tx.$queryRaw<unknown[]>`SELECT 1 FROM pgboss.job
    WHERE id = ${lease.id}::uuid AND retry_count = ${lease.retryCount} AND state = 'active' FOR UPDATE`;
  if (held.length === 0) return null;
  const raised = await tx.$queryRaw<
    { epoch: bigint }[]
  >`UPDATE connection SET epoch = epoch + 1, watched_by = ${engineId}::uuid
    WHERE organization_id = ${organizationId}::uuid AND id = ${connectionId}::uuid RETURNING epoch`;
  const rows = await tx.$queryRaw<ConnectionRow[]>(Prisma.sql`
    SELECT ${ADDRESS_COLUMNS}, s.id AS "serverId", s.era_setting AS "eraSetting", s.era FROM ${ADDRESS_TABLES}
    WHERE c.organization_id = ${organizationId}::uuid AND c.id = ${connectionId}::uuid`);
  if (!raised[0] || !rows[0]) return null;
  return { epoch: raised[0].epoch, connection: rows[0] };
}
