/** Which of a statement's plans Postgres uses; left to itself it compares guesses of their costs. */
import type { Tx } from "./tx.ts";

/**
 * From here to the transaction's end statements have one plan, whatever their values: for those that run along
 * one index for all values. Postgres would plan many of them each time, which takes ten times as long as they
 * run, since an organization of average size costs more by its guess than a small one.
 */
export async function planOnce(tx: Tx): Promise<void> {
  await tx.$queryRaw`SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`;
}

/**
 * From here to the transaction's end statements are planned for their values: for lists narrowed by a value that
 * may be in most rows or in none, such as a tool or a word. One plan for all would read an index of another order
 * to its end.
 */
export async function planForValues(tx: Tx): Promise<void> {
  await tx.$queryRaw`SELECT set_config('plan_cache_mode', 'force_custom_plan', true)`;
}

/** Plans once for a query that only `usual` members narrow, for their values otherwise. */
export async function planFor(tx: Tx, query: object, usual: readonly string[]): Promise<void> {
  const isUsual = Object.entries(query).every(([name, value]) => value === undefined || usual.includes(name));
  await (isUsual ? planOnce(tx) : planForValues(tx));
}
