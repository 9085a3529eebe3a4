/** Which of a statement's plans Postgres uses; left to itself it compares guesses of their costs. */

import { Prisma } from "../../generated/prisma/client.ts";
import { asStored } from "../content/content-keys.ts";
import { onePerProcess } from "../process/process-wide.ts";
import type { Tx } from "./transaction.ts";

/** In front of a statement that is planned for its values: it gets no name, as no plan of it would be kept. */
const NOT_KEPT = Prisma.sql`/* planned for its values */`;

// Transactions go from one of Next's bundles to the other.
const modes = onePerProcess("plan modes", () => new WeakMap<Tx, "once" | "for values">())();

/**
 * From here to the transaction's end statements have one plan, whatever their values: for those that run along
 * one index for all values. Postgres would plan many of them each time, which takes ten times as long as they
 * run, since an organization of average size costs more by its guess than a small one.
 */
export async function planOnce(tx: Tx): Promise<Prisma.Sql> {
  if (modes.get(asStored(tx)) !== "once") {
    await tx.$queryRaw`SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`;
    modes.set(asStored(tx), "once");
  }
  return Prisma.empty;
}

/**
 * From here to the transaction's end statements are planned for their values: for lists narrowed by a value that
 * may be in most rows or in none, such as a tool or a word. One plan for all would read an index of another order
 * to its end. Returns what to put in front of such a statement.
 */
export async function planForValues(tx: Tx): Promise<Prisma.Sql> {
  await tx.$queryRaw`SELECT set_config('plan_cache_mode', 'force_custom_plan', true)`;
  modes.set(asStored(tx), "for values");
  return NOT_KEPT;
}

/**
 * Plans once for a query that only `usual` members narrow, for its values otherwise. Returns what to put in front
 * of the statement.
 */
export function planFor(tx: Tx, query: object, usual: readonly string[]): Promise<Prisma.Sql> {
  const isUsual = Object.entries(query).every(([name, value]) => value === undefined || usual.includes(name));
  return isUsual ? planOnce(tx) : planForValues(tx);
}
