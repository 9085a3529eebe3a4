/**
 * What a transaction gathers and writes at its very end, in one statement however often it came up: lines of history,
 * whose lock every other writer of the organization waits for, are the last thing before the commit.
 */
import type { Tx } from "./tx.ts";

export interface DeferredWrite<T> {
  name: string;
  /** The greatest is written last. */
  order: number;
  write(organizationId: string, tx: Tx, items: T[]): Promise<void>;
}

type Gathered = Map<string, { ending: DeferredWrite<never>; items: unknown[] }>;

// On globalThis, since Next bundles its own copies of modules into one process: no copy may miss another's items.
const key = Symbol.for("intray.endings");
const shared = globalThis as { [key]?: WeakMap<Tx, Gathered> };
shared[key] ??= new WeakMap();
const gathered = shared[key];

/** Has `ending` write these at the end of the transaction, behind what it was given before. */
export function deferWrite<T>(tx: Tx, ending: DeferredWrite<T>, items: T[]): void {
  const its = gathered.get(tx);
  if (!its) throw new Error(`${ending.name} needs a transaction that was made by withOrganization`);
  const known = its.get(ending.name);
  if (known) known.items.push(...items);
  else its.set(ending.name, { ending, items: [...items] });
}

/** Does the work of a transaction, and then what it has gathered. */
export async function withDeferredWrites<T>(
  organizationId: string,
  tx: Tx,
  work: () => Promise<T>,
): Promise<T> {
  const its: Gathered = new Map();
  gathered.set(tx, its);
  const result = await work();
  const inOrder = [...its.values()].sort((a, b) => a.ending.order - b.ending.order);
  for (const { ending, items } of inOrder) await ending.write(organizationId, tx, items as never[]);
  return result;
}
