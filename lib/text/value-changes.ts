/** What differs between two JSON values, leaf by leaf. Pure. */
import { isRecord } from "./json.ts";
import { shorten } from "./labels.ts";

export interface ValueChange {
  /** Where it is: `lines[0].amount`; empty for the value itself. */
  path: string;
  /** Undefined: there was none. */
  before: unknown;
  /** Undefined: there is none any more. */
  after: unknown;
}

/** More are not listed: nobody reads them one by one. */
const MOST_CHANGES = 200;

/** Returns what differs, in the order of the earlier value. `isAll`: false if only the first changes are listed. */
export function changesOf(before: unknown, after: unknown): { changes: ValueChange[]; isAll: boolean } {
  const found: ValueChange[] = [];
  compare("", before, after, found);
  return { changes: found.slice(0, MOST_CHANGES), isAll: found.length <= MOST_CHANGES };
}

function compare(path: string, before: unknown, after: unknown, found: ValueChange[]): void {
  if (found.length > MOST_CHANGES) return;
  const [was, is] = [membersOf(before), membersOf(after)];
  if (was && is && Array.isArray(before) === Array.isArray(after)) {
    const names = new Set([...was.keys(), ...is.keys()]);
    for (const name of names) compare(below(path, name), was.get(name), is.get(name), found);
    return;
  }
  if (JSON.stringify(before) !== JSON.stringify(after)) found.push({ path, before, after });
}

/** The members of an object or a list, by name or place; null: it is neither. */
function membersOf(value: unknown): Map<string | number, unknown> | null {
  if (Array.isArray(value)) return new Map(value.entries());
  return isRecord(value) ? new Map(Object.entries(value)) : null;
}

const PLAIN = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

function below(path: string, name: string | number): string {
  if (typeof name === "number") return `${path}[${name}]`;
  const quoted = PLAIN.test(name) ? name : JSON.stringify(name);
  return path === "" ? quoted : `${path}.${quoted}`;
}

const VALUE_CHARACTERS = 200;

/** One change in words: `amount: 5000 → 400`. Of long values, from shortly before where they differ. */
export function changeWords({ path, before, after }: ValueChange): string {
  const [was, is] = [wordsOf(before), wordsOf(after)];
  let same = 0;
  while (same < was.length && was[same] === is[same]) same++;
  const cut = Math.max(was.length, is.length) > VALUE_CHARACTERS ? Math.max(0, same - BEFORE_CHARACTERS) : 0;
  const shown = (text: string) => `${cut > 0 ? "…" : ""}${shorten(text.slice(cut), VALUE_CHARACTERS)}`;
  return `${path}: ${shown(was)} → ${shown(is)}`;
}

const BEFORE_CHARACTERS = 40;

const wordsOf = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));

/** A text as it is, anything else as JSON: `"5"` and `5` are different values. */
export function valueText(value: unknown): string {
  return typeof value === "string" && value.trim() !== "" && !isJson(value) ? value : JSON.stringify(value);
}

/** Whether a text reads like another value. */
function isJson(text: string): boolean {
  return /^(true|false|null|-?\d|[[{"])/.test(text.trim());
}

/** A value that holds no others, and where it is. */
export interface Leaf {
  path: string;
  value: unknown;
}

/** More of several values together, or longer ones, are too much to compare by reading. */
const MOST_LEAVES = 4_000;
const MOST_CHARACTERS = 200_000;

/** What several values have in common, and what each has besides, leaf by leaf. Null: they hold too much. */
export function compared(values: unknown[]): { same: Leaf[]; each: Leaf[][] } | null {
  if (values.reduce<number>((sum, value) => sum + JSON.stringify(value).length, 0) > MOST_CHARACTERS)
    return null;
  const all = values.map((value) => {
    const leaves: Leaf[] = [];
    collect("", value, leaves);
    return leaves;
  });
  if (all.flat().length > MOST_LEAVES) return null;
  const places = all.map((leaves) => new Map(leaves.map(({ path, value }) => [path, JSON.stringify(value)])));
  const isSame = ({ path, value }: Leaf) => {
    const text = JSON.stringify(value);
    return places.every((place) => place.get(path) === text);
  };
  const [first = []] = all;
  return {
    same: first.filter(isSame),
    each: all.map((leaves) => leaves.filter((leaf) => !isSame(leaf))),
  };
}

function collect(path: string, value: unknown, leaves: Leaf[]): void {
  const members = membersOf(value);
  if (members === null || members.size === 0) leaves.push({ path, value });
  else for (const [name, member] of members) collect(below(path, name), member, leaves);
}
