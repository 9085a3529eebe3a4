/** Seeded randomness. A decision depends on the seed and the thing's own name, never on earlier draws. */

export type Random = () => number;

/** Returns numbers from 0 to 1 that are the same for the same names. */
export function randomFor(...names: (string | number)[]): Random {
  let state = hash(names.join("\0"));
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Picks a key in proportion to its weight, or null for the remainder of the weights to 1. */
export function pick<T extends string>(random: Random, weights: Partial<Record<T, number>>): T | null {
  let at = random();
  for (const [key, weight] of Object.entries(weights) as [T, number][]) {
    at -= weight;
    if (at < 0) return key;
  }
  return null;
}

export function between(random: Random, low: number, high: number): number {
  return low + random() * (high - low);
}

/** FNV-1a over UTF-16 code units. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value;
}
