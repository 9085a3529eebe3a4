/** All writes to servers' call statistics. Upserts add, so that several engines may count at once. */
import type { Tx } from "../../base/db/db.ts";
import type { Counted } from "./counts.ts";

/** Adds calls to the current five minutes and the current hour, by the database's clock. */
export async function addCalls(
  tx: Tx,
  serverId: string,
  { calls, failures, latency }: Counted,
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO server_stat (organization_id, server_id, minutes, at, calls, failures, latency)
    SELECT ${tx.organizationId}::uuid, ${serverId}::uuid, minutes,
      date_bin(minutes * interval '1 minute', now(), 'epoch'), ${calls}::integer, ${failures}::integer[],
      ${latency}::integer[]
    FROM unnest(ARRAY[5, 60]) AS minutes
    ON CONFLICT (organization_id, server_id, minutes, at) DO UPDATE SET calls = server_stat.calls + excluded.calls,
      failures = add_each(server_stat.failures, excluded.failures),
      latency = add_each(server_stat.latency, excluded.latency)`;
}

/**
 * Deletes five-minute rows older than `fiveMinutesMs` and hourly rows older than `hoursMs`, at most `limit`.
 * Returns the number of deleted rows.
 */
export function dropOldCalls(
  tx: Tx,
  { fiveMinutesMs, hoursMs }: { fiveMinutesMs: number; hoursMs: number },
  limit: number,
): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM server_stat WHERE organization_id = ${tx.organizationId}::uuid AND ctid = ANY (ARRAY(
      SELECT ctid FROM server_stat WHERE organization_id = ${tx.organizationId}::uuid
        AND at < now() - CASE minutes WHEN 5 THEN ${fiveMinutesMs}::float8 ELSE ${hoursMs}::float8 END
          * interval '1 ms'
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
}
