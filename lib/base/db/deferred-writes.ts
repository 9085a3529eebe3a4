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
  const its = gathered.get(tx);
  if (!its) throw new Error(`${write.name} needs a transaction that was made by withOrganization`);
  const known = its.get(write.name);
  if (known) known.items.push(...items);
  else its.set(write.name, { write, items: [...items] });
}

/** Runs `work`, then the deferred writes. */
export async function withDeferredWrites<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const its: Gathered = new Map();
  gathered.set(tx, its);
  const result = await work();
  const take: Take = (other) => {
    const taken = its.get(other.name)?.items ?? [];
    its.delete(other.name);
    return taken as never[];
  };
  for (let next = first(its); next; next = first(its)) {
    const { write, items } = next;
    its.delete(write.name);
    await write.write(tx, items as never[], take);
  }
  return result;
}

/** Whether anything is deferred to the end of the transaction, and so written with it. */
export function hasDeferredWrites(tx: Tx): boolean {
  return (gathered.get(tx)?.size ?? 0) > 0;
}

function first(its: Gathered) {
  return [...its.values()].sort((a, b) => a.write.order - b.write.order)[0];
}
