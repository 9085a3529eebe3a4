/** Leases, as the rows show them. */
import type { Stage } from "./stage.ts";

/** Returns the engines in the order of their start, with the connections that each one watches. */
export async function watched({ admin }: Stage): Promise<{ engine: string; connections: number }[]> {
  const { rows } = await admin.query<{ engine: string; connections: number }>(`
    SELECT e.id AS engine, count(c.id)::integer AS connections
    FROM engine e LEFT JOIN connection c ON c.watched_by = e.id GROUP BY e.id ORDER BY e.started_at`);
  return rows;
}

/** Returns the id of the engine that was started last. */
export async function newest(stage: Stage): Promise<string> {
  return (await watched(stage)).at(-1)?.engine ?? "";
}

/**
 * Returns the number of an engine's steps that wrote nothing, because another engine watches the connection
 * or Postgres ended an idle transaction. Read from the engine's row, which is up to 3 s old.
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

/** Polls every 50 ms until `isSo` is true; returns how long that took, in ms. Throws after `patienceMs`. */
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

/** Yields slices of `size` items, in order. */
export function* batches<T>(all: T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}
