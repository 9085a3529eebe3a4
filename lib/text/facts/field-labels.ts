/** The labels of fields, of which no two look the same. Pure. */
import { readAs } from "../foreign/alike.ts";
import { asJson, humanise } from "../labels.ts";

/**
 * Returns how each name is labelled: humanised, or as JSON has it where another's label would look the same, and where a sign
 * stands at its beginning or end or behind another: `-admin` may take away what `admin` gives.
 */
export function labelsOf(names: string[]): (name: string) => string {
  const keys = new Map(names.map((name) => [name, readAs(humanise(name.slice(0, COMPARED_CHARACTERS)))]));
  const counts = new Map<string | undefined, number>();
  for (const key of keys.values()) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (name) => (counts.get(keys.get(name)) === 1 && !SIGNED.test(name) ? humanise(name) : asJson(name));
}

/** Names that are the same so far count as alike: one may have a megabyte. */
const COMPARED_CHARACTERS = 500;

const SIGNED = /^[\s_.-]|[\s_.-]$|(?<![\p{L}\p{N}])-|[-.](?=\d)|(?<![\p{L}\p{N}_-])\./u;
