/** Retry policy of deliveries. Pure. */

/** Longest waits between attempts, together about two days. Then the delivery has failed. */
const WAITS_MS = [
  5_000,
  30_000,
  2 * 60_000,
  10 * 60_000,
  30 * 60_000,
  2 * 3600_000,
  5 * 3600_000,
  10 * 3600_000,
  14 * 3600_000,
  20 * 3600_000,
];

/**
 * Returns the wait after an attempt in ms, or null after the last. Full jitter, so that simultaneous failures
 * are not retried at the same time. `random`: from 0 up to 1.
 */
export function waitAfter(attempt: number, random: number): number | null {
  const longest = WAITS_MS[attempt - 1];
  return longest === undefined ? null : Math.round(longest * random);
}

/** A webhook without any success for this long is disabled. */
export const FAILING_FOR_MS = 3 * 24 * 3600_000;
