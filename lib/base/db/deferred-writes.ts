/**
 * Collects a transaction's writes and runs them right before the commit, one statement per kind. History
 * lines need a lock that blocks the organization's other writers, so they come last.
 */
import { onePerProcess } from "../process/process-wide.ts";
import type { Tx } from "./transaction.ts";

export interface DeferredWrite<T> {
  name: string;
  /** Writes run in ascending order. */
  order: number;
  /** `take`: takes what another write, which has not run, would write, so that one statement does for both. */
  write(tx: Tx, items: T[], take: Take): Promise<void>;
}

export type Take = <T>(write: DeferredWrite<T>) => T[];

type Gathered = Map<string, { write: DeferredWrite<never>; items: unknown[] }>;

const gathered = onePerProcess("deferred writes", () => new WeakMap<Tx, Gathered>())();

/** Appends `items` to those that `write` writes at the end of the transaction. */
export function deferWrite<T>(tx: Tx, write: DeferredWrite<T>, items: T[]): void {
  const writes = gathered.get(tx);
  if (!writes) throw new Error(`${write.name} needs a transaction that was made by withOrganization`);
  const known = writes.get(write.name);
  if (known) known.items.push(...items);
  else writes.set(write.name, { write, items: [...items] });
}

/** Runs `work`, then the deferred writes. */
export async function withDeferredWrites<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const writes: Gathered = new Map();
  gathered.set(tx, writes);
  const result = await work();
  const take: Take = (other) => {
    const taken = writes.get(other.name)?.items ?? [];
    writes.delete(other.name);
    return taken as never[];
  };
  for (let next = first(writes); next; next = first(writes)) {
    const { write, items } = next;
    writes.delete(write.name);
    await write.write(tx, items as never[], take);
  }
  return result;
}

/** Whether anything is deferred to the end of the transaction, and so written with it. */
export function hasDeferredWrites(tx: Tx): boolean {
  return (gathered.get(tx)?.size ?? 0) > 0;
}

function first(writes: Gathered) {
  return [...writes.values()].sort((a, b) => a.write.order - b.write.order)[0];
}
