/** Who watches what, by the rows. */
import type { Stage } from "./stage.ts";

/** Engines from the one that was started first, with the connections that each of them watches. */
export async function watched({ admin }: Stage): Promise<{ engine: string; connections: number }[]> {
  const { rows } = await admin.query<{ engine: string; connections: number }>(`
    SELECT e.id AS engine, count(c.id)::integer AS connections
    FROM engine e LEFT JOIN connection c ON c.watched_by = e.id GROUP BY e.id ORDER BY e.started_at`);
  return rows;
}

/** The id of the engine that was started last. */
export async function newest(stage: Stage): Promise<string> {
  return (await watched(stage)).at(-1)?.engine ?? "";
}

/**
 * Steps of an engine that wrote nothing: another one watches the connection, or Postgres has ended what stood still. As
 * its row says it, 3 s late.
 */
export async function refusedSteps({ admin }: Stage, engine: string): Promise<number> {
  const { rows } = await admin.query<{ n: number | null }>(
    `SELECT sum((counted.one ->> 'value')::float8)::integer AS n FROM engine,
       jsonb_array_elements(metrics) AS metric (one), jsonb_array_elements(metric.one -> 'values') AS counted (one)
     WHERE id = $1 AND metric.one ->> 'name' = 'intray_failures_total'
       AND counted.one #>> '{labels,class}' IN ('lease_lost', 'database')`,
    [engine],
  );
  return rows[0]?.n ?? 0;
}

/** Looks every 50 ms until it is so; returns how long that took, in ms. */
export async function tookUntil(
  what: string,
  isSo: () => Promise<boolean>,
  patienceMs = 120_000,
): Promise<number> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > patienceMs) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return performance.now() - began;
}

/** So many at a time, in order. */
export function* batches<T>(all: T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
