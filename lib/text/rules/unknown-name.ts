/** Names the right name for one that an expression does not know. Pure. */

/**
 * What an expression knows: `names` with their dots, as `tool.name`, and `advice` on others that people may write, to be said after
 * “Unknown name …”.
 */
interface Known {
  names: string[];
  advice: Record<string, string>;
}

/** A problem with an unknown name says the whole name, and what was meant if something is near. Others stay. */
export function unknownName<T extends { message: string; at: number | null }>(
  problem: T,
  text: string,
  known: Known,
): T {
  const { message, at } = problem;
  if (at === null || !/^(Unknown variable|No such key): /.test(message)) return problem;
  let begins = at;
  while (/[\w.]/.test(text.charAt(begins - 1))) begins--;
  const written = /^[\w.]*/.exec(text.slice(begins))?.[0] ?? "";
  if (written === "") return problem;
  return { ...problem, message: `Unknown name \`${written}\`${adviceOn(written, known)}`, at: begins };
}

function adviceOn(written: string, { names, advice }: Known): string {
  for (let name = written; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf("."))))
    if (Object.hasOwn(advice, name)) return advice[name] ?? "";
  const near = nearest(written, names);
  return near === null ? "" : `; did you mean \`${near}\`?`;
}

/** The name with the fewest letters to change, if these are few; also one whose last part was written alone. */
function nearest(written: string, names: string[]): string | null {
  const plain = plainOf(written);
  const byLast = names.filter((name) => plainOf(name.slice(name.lastIndexOf(".") + 1)) === plain);
  if (byLast.length === 1) return byLast[0]!;
  const [best] = names
    .map((name) => ({ name, changes: changesBetween(plain, plainOf(name)) }))
    .sort((one, other) => one.changes - other.changes);
  return best && best.changes <= Math.max(1, Math.floor(plain.length / 4)) ? best.name : null;
}

/** Letters and digits alone, whatever their case. */
const plainOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Longest name that is compared: the work grows with its length. */
const MOST_LETTERS = 60;

/** How many letters to add, take away or replace. */
function changesBetween(one: string, other: string): number {
  if (one.length > MOST_LETTERS) return MOST_LETTERS;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [place, its] of [...other].entries())
      next.push(Math.min(next[place]! + 1, row[place + 1]! + 1, row[place]! + (letter === its ? 0 : 1)));
    row = next;
  }
  return row[other.length]!;
}
