/** Scoped reads of servers' call statistics. Only the range limits the number of rows, not the history. */
import type { Tx } from "../../base/db/db.ts";
import { notFound } from "../../base/errors.ts";
import {
  type Calls,
  type Counted,
  failuresByClass,
  type Range,
  type ServerStats,
  summaryOf,
} from "./call-statistics-schema.ts";

/** Rows per range: few enough for a chart. */
const STEPS: Record<Range, { minutes: 5 | 60; steps: number }> = {
  "1h": { minutes: 5, steps: 12 },
  "24h": { minutes: 60, steps: 24 },
  "7d": { minutes: 60, steps: 7 * 24 },
};

/** Returns a server's call statistics over a range. Throws `not_found`. */
export async function readServerStats(tx: Tx, serverId: string, range: Range): Promise<ServerStats> {
  if (
    (await tx.server.count({
      where: { organizationId: tx.organizationId, id: serverId, removedAt: null, builtin: false },
    })) === 0
  )
    throw notFound("server");
  const { minutes, steps } = STEPS[range];
  const rows = await tx.$queryRaw<(Counted & { at: Date })[]>`
    SELECT step.at, coalesce(stat.calls, 0) AS calls, coalesce(stat.failures, '{}') AS failures,
      coalesce(stat.latency, '{}') AS latency
    FROM (SELECT date_bin(${minutes} * interval '1 minute', now(), 'epoch') - back * ${minutes} * interval '1 minute' AS at
      FROM generate_series(0, ${steps - 1}::integer) AS back) AS step
    LEFT JOIN server_stat stat ON stat.organization_id = ${tx.organizationId}::uuid AND stat.server_id = ${serverId}::uuid
      AND stat.minutes = ${minutes} AND stat.at = step.at
    ORDER BY step.at`;
  const all = totalOf(rows);
  return {
    range,
    stepMs: minutes * 60_000,
    ...summaryOf(all),
    failures: failuresByClass(all.failures),
    steps: rows.map((row) => ({ at: row.at.toISOString(), ...summaryOf(row) })),
  };
}

/** Returns servers' calls of the last day, in whole hours plus the current one. Omits servers without any. */
export async function callsOfLastDay(tx: Tx, serverIds: string[]): Promise<Map<string, Calls>> {
  const rows = await tx.$queryRaw<(Counted & { serverId: string })[]>`
    SELECT server_id AS "serverId", sum(calls)::integer AS calls, sum_each(failures) AS failures,
      sum_each(latency) AS latency
    FROM server_stat WHERE organization_id = ${tx.organizationId}::uuid AND server_id = ANY (${serverIds}::uuid[])
      AND minutes = 60 AND at > now() - interval '24 hours' GROUP BY server_id`;
  return new Map(rows.map((row) => [row.serverId, summaryOf(row)]));
}

function totalOf(rows: Counted[]): Counted {
  const sum = (lists: number[][]) =>
    lists.reduce<number[]>(
      (total, list) =>
        Array.from(
          { length: Math.max(total.length, list.length) },
          (_, place) => (total[place] ?? 0) + (list[place] ?? 0),
        ),
      [],
    );
  return {
    calls: rows.reduce((total, { calls }) => total + calls, 0),
    failures: sum(rows.map(({ failures }) => failures)),
    latency: sum(rows.map(({ latency }) => latency)),
  };
}
