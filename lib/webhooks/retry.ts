/** When a delivery is tried again. Pure. */

/** After the first attempt, the second, …: together about two days. Then it has failed. */
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

/** Full jitter, so that what failed together does not come back together; null: no more. `random`: from 0 up to 1. */
export function waitAfter(attempt: number, random: number): number | null {
  const longest = WAITS_MS[attempt - 1];
  return longest === undefined ? null : Math.round(longest * random);
}

/** A webhook through which nothing got for this long is switched off. */
export const FAILING_FOR_MS = 3 * 24 * 3600_000;
