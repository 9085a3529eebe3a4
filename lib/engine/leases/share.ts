/** How many leases an engine should have, so that all engines have as many as the others: pure. */
import { CAPACITY, MOVED_A_TURN } from "../tunables.ts";

export interface Census {
  /** Held by an engine, or waiting for one. */
  leases: number;
  waiting: number;
  /** Those of the waiting that wait for long: engines that should take them do not. */
  overdue: number;
  /** That were seen lately; at least 1, the one that looks. */
  engines: number;
}

function fairShare({ leases, engines }: Census): number {
  return Math.ceil(leases / engines);
}

/** How many leases an engine that has `held` may take now. What others leave lying is anybody's. */
export function roomFor(held: number, census: Census): number {
  const ours = Math.max(0, fairShare(census) - held);
  return Math.max(0, Math.min(CAPACITY - held, census.waiting, Math.max(ours, census.overdue)));
}

/**
 * How many leases one should give back now for others to take; a few at a time, and none while some wait anyway. A
 * twentieth too many is left alone: each move costs a moment in which nobody looks at the connection.
 */
export function surplusOf(held: number, census: Census): number {
  const share = fairShare(census);
  if (census.waiting > 0 || held - share <= share / 20) return 0;
  return Math.min(held - share, MOVED_A_TURN);
}
