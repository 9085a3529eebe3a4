/**
 * Collects a transaction's writes and runs them right before the commit, one statement per kind. History
 * lines need a lock that blocks the organization's other writers, so they come last.
 */
import type { Tx } from "./tx.ts";

export interface DeferredWrite<T> {
  name: string;
  /** Writes run in ascending order. */
  order: number;
  write(organizationId: string, tx: Tx, items: T[]): Promise<void>;
}

type Gathered = Map<string, { write: DeferredWrite<never>; items: unknown[] }>;

// On globalThis: Next bundles its own copies of modules into the process, and all copies must share the
// items.
const key = Symbol.for("intray.endings");
const shared = globalThis as { [key]?: WeakMap<Tx, Gathered> };
shared[key] ??= new WeakMap();
const gathered = shared[key];

/** Appends `items` to those that `write` writes at the end of the transaction. */
export function deferWrite<T>(tx: Tx, write: DeferredWrite<T>, items: T[]): void {
  const its = gathered.get(tx);
  if (!its) throw new Error(`${write.name} needs a transaction that was made by withOrganization`);
  const known = its.get(write.name);
  if (known) known.items.push(...items);
  else its.set(write.name, { write, items: [...items] });
}

/** Runs `work`, then the deferred writes. */
export async function withDeferredWrites<T>(
  organizationId: string,
  tx: Tx,
  work: () => Promise<T>,
): Promise<T> {
  const its: Gathered = new Map();
  gathered.set(tx, its);
  const result = await work();
  const inOrder = [...its.values()].sort((a, b) => a.write.order - b.write.order);
  for (const { write, items } of inOrder) await write.write(organizationId, tx, items as never[]);
  return result;
}

/** Whether anything is deferred to the end of the transaction, and so written with it. */
export function hasDeferredWrites(tx: Tx): boolean {
  return (gathered.get(tx)?.size ?? 0) > 0;
}
