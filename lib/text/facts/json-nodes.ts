/** Entries of a long list or object in JSON that are shown at first, and added by each press. */
export const ENTRIES_SHOWN = 100;

/** How many entries the first two levels of a JSON value show. Pure. */
export function nodesIn(value: unknown, levels = 2): number {
  if (levels === 0 || typeof value !== "object" || value === null) return 0;
  const entries = Object.values(value).slice(0, ENTRIES_SHOWN);
  return entries.reduce<number>((sum, each) => sum + nodesIn(each, levels - 1), entries.length);
}
