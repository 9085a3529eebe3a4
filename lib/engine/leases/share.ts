/** Pure functions that balance leases evenly between engines. */
import { CAPACITY, MOVED_A_TURN } from "../tunables.ts";

export interface Census {
  /** Leases that an engine holds or that wait for one. */
  leases: number;
  waiting: number;
  /** Waiting leases that are due for longer than `OVERDUE_LEASE_MS`, so any engine may take them. */
  overdue: number;
  /** Engines seen recently, including the one that counts; at least 1. */
  engines: number;
}

function fairShare({ leases, engines }: Census): number {
  return Math.ceil(leases / engines);
}

/**
 * Returns how many leases an engine with `held` leases may take now. Overdue leases are open to every engine.
 */
export function roomFor(held: number, census: Census): number {
  const ours = Math.max(0, fairShare(census) - held);
  return Math.max(0, Math.min(CAPACITY - held, census.waiting, Math.max(ours, census.overdue)));
}

/**
 * Returns how many leases an engine should give back now: at most `MOVED_A_TURN`, and none while leases wait.
 * Up to 5% above the share is tolerated, because nobody polls a connection while its lease moves. `held` may include
 * leases that were taken after the count.
 */
export function surplusOf(held: number, census: Census): number {
  const share = fairShare({ ...census, leases: Math.max(census.leases, held) });
  if (census.waiting > 0 || held - share <= share / 20) return 0;
  return Math.min(held - share, MOVED_A_TURN);
}
