/**
 * Counts durations in classes, each a quarter longer than the one before, so that percentiles need only a few
 * numbers. Pure, client-safe.
 */

/** Classes per doubling. */
const FINENESS = 3;
/** The classes reach from one second to more than a year. */
const LAST_CLASS = 75;

/** Returns a duration's class; 0 below a second. */
export function classOf(ms: number): number {
  const seconds = ms / 1000;
  if (!(seconds >= 1)) return 0;
  return Math.min(LAST_CLASS, 1 + Math.floor(FINENESS * Math.log2(seconds)));
}

/** Returns a class's lower bound in ms. */
function lowerEnd(index: number): number {
  return index === 0 ? 0 : 1000 * 2 ** ((index - 1) / FINENESS);
}

/** Returns the duration in ms that `share` (0 to 1) did not exceed, accurate to a fifth; null without any. */
export function percentile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const sorted = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const all = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (all === 0) return null;
  let left = share * all;
  for (const [index, count] of sorted) {
    if (left <= count) {
      const [low, high] = [lowerEnd(index), lowerEnd(index + 1)];
      return Math.round(low + (high - low) * (left / count));
    }
    left -= count;
  }
  return lowerEnd(LAST_CLASS + 1);
}
