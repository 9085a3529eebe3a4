import { currencyOf, inUnits, isWide, readLargestShown, snake, totalOf } from "../amount.ts";
import { countHidden } from "../foreign/hidden.ts";
import type { Formats } from "../formats/formats.ts";
import { plural } from "../labels.ts";
import { type FoundMoney, isMoneyName } from "../money.ts";
import { amountsIn, type Check, checkMessage, totalChecker } from "./amount-checks.ts";
import { type Cell, describeValue, isObject, type Json } from "./cells.ts";
import {
  describeTable,
  type FactTable,
  isTable,
  labelsOf,
  MOST_ROWS,
  MOST_SUMMED,
  ROWS_SHOWN,
  rowsOfEach,
} from "./fact-table.ts";

export type FactBlock =
  | { kind: "fields"; label?: string; fields: { label: string; cell: Cell }[] }
  | FactTable
  | { kind: "json"; label: string; value: unknown };

/** Nobody reads more, and an agent may send any number: of values, cells of tables, characters of names, hidden characters. */
const MOST = {
  values: 500,
  cells: 3_000,
  rows: MOST_SUMMED,
  figures: 2 * MOST_SUMMED,
  characters: 50_000,
  hidden: 1_000,
};
type Weight = typeof MOST;

/**
 * A call's arguments as people read them: plain fields, a group for each object, a table for each list of
 * objects; what comes after MOST values as it was sent. With the server's message, amounts are checked
 * against the message.
 */
export function describeFacts(values: Json, formats: Formats, message = ""): FactBlock[] {
  const { blocks, rest } = describeFirst(values, formats, message);
  if (rest.names.length === 0) return blocks;
  const value = Object.fromEntries(rest.names.map((name) => [name, rest.of[name]]));
  return [...blocks, { kind: "json", label: rest.label, value }];
}

/** As `describeFacts`, without what comes after MOST values. `rest` names these. `within`: the names of the objects around. */
export function describeFirst(
  values: Json,
  formats: Formats,
  message: string,
  within?: string,
): { blocks: FactBlock[]; rest: { of: Json; names: string[]; label: string } } {
  const named = (name: string) => (within === undefined ? name : `${within} · ${name}`);
  const names = Object.keys(values);
  const only = names.length === 1 ? names[0] : undefined;
  // A single argument that is an object is a wrapper. Its name may be what is done: `{revoke: {…}}`.
  if (only !== undefined) {
    const wrapped = values[only];
    if (isGroup(wrapped, named(only)))
      return describeFirst(wrapped, formats, message, named(labelsOf([only])(only)));
  }
  const { first, rest } = firstValues(values, names);
  const stated = amountsIn(message);
  const most = largestShown(values);
  const labels = labelsOf(Object.keys(first));
  const groups = Object.entries(first).filter(([name, value]) => isGroup(value, named(name)));
  const plain = Object.fromEntries(
    Object.entries(first).filter(([name, value]) => !isGroup(value, named(name))),
  );
  const all = [plain, ...groups.map(([, group]) => group as Json)].flatMap(Object.values);
  const rows = rowsOfEach(all.filter(isTable).map(({ length }) => length));
  const blocks = [
    ...describeGroup(plain, {
      stated,
      most,
      formats,
      rows,
      currency: null,
      ...(within !== undefined && { group: within }),
    }),
    ...groups.flatMap(([key, value]) =>
      describeGroup(value as Json, {
        stated,
        most,
        formats,
        rows,
        currency: currencyOf(plain),
        group: named(labels(key)),
      }),
    ),
  ];
  return { blocks, rest: { of: values, names: rest, label: named(plural(rest.length, "more value")) } };
}

/** Splits arguments where those before weigh more than MOST. */
function firstValues(values: Json, names: string[]): { first: Json; rest: string[] } {
  const sum: Weight = { values: 0, cells: 0, rows: 0, figures: 0, characters: 0, hidden: 0 };
  const end = names.findIndex((name) => {
    const value = values[name];
    add(sum, name, value);
    if (isTooMuch(sum)) return true;
    const text = JSON.stringify([name, value], readAtMost);
    sum.hidden += countHidden(text, MOST.hidden + 1) + countEscapes(text, MOST.hidden + 1);
    return isTooMuch(sum);
  });
  if (end === -1) return { first: values, rest: [] };
  const first = Object.fromEntries(names.slice(0, end).map((name) => [name, values[name]]));
  return { first, rest: names.slice(end) };
}

function isTooMuch(sum: Weight): boolean {
  return Object.entries(sum).some(([each, count]) => count > MOST[each as keyof Weight]);
}

/** Counts what JSON writes as escapes and a page marks as hidden: control characters and halves of characters. */
function countEscapes(json: string, most: number): number {
  let count = 0;
  for (const _ of json.matchAll(/\\(?:u(?:00|d[89a-f])|[rbf])/g)) if (++count === most) break;
  return count;
}

/** For JSON: of a list no more than a table shows. */
function readAtMost(_: string, value: unknown): unknown {
  return Array.isArray(value) && value.length > MOST_ROWS ? value.slice(0, MOST_ROWS) : value;
}

/** Adds what a value weighs: of a group, each value in it. */
function add(sum: Weight, name: string, value: unknown, isInGroup = false): void {
  sum.characters += name.length;
  if (isObject(value) && !isInGroup) {
    const names = Object.keys(value);
    // Each weighs one at least: of too many, none has to be looked at.
    if (names.length === 0 || names.length > MOST.values) sum.values += Math.max(1, names.length);
    else for (const inner of names) add(sum, inner, value[inner], true);
    return;
  }
  sum.values++;
  if (!isTable(value)) {
    sum.cells += nodesIn(value);
    return;
  }
  const columns = [...new Set(value.flatMap(Object.keys))];
  sum.values += columns.length - 1;
  sum.characters += columns.reduce((total, { length }) => total + length, 0);
  sum.cells += columns.length * Math.min(value.length, ROWS_SHOWN);
  sum.rows += value.length;
  sum.figures += value.length * columns.filter(isMoneyName).length;
}

/** The largest amount of the arguments: a tick beside a smaller one would vouch for what the tool may not read. */
function largestShown(values: Json): number {
  if (isWide(values)) return Number.POSITIVE_INFINITY;
  const read = readLargestShown(values);
  return "unclear" in read ? Number.POSITIVE_INFINITY : (read.largest ?? 0);
}

/** A tick only where nothing in the arguments is larger; a warning always. */
function unlessLarger(check: Check | null, value: number, most: number): Check | null {
  return check?.ok && most >= Math.abs(value) + 0.005 ? null : check;
}

/** Describes only values that can be read at a glance; an object in an object stays JSON. */
function describeGroup(
  values: Json,
  {
    stated,
    most,
    formats,
    rows,
    currency: outer,
    group,
  }: {
    stated: FoundMoney[];
    most: number;
    formats: Formats;
    rows: number;
    currency: string | null;
    group?: string;
  },
): FactBlock[] {
  const currency = currencyOf(values) ?? outer;
  const total = totalOf(values);
  const labels = labelsOf(Object.keys(values));
  const fields: { label: string; cell: Cell }[] = [];
  const rest: FactBlock[] = [];
  for (const [key, value] of Object.entries(values)) {
    const label = group ? `${group} · ${labels(key)}` : labels(key);
    const cell = describeValue(key, value, formats, currency);
    if (cell) {
      if (cell.kind === "number" && key === total?.key) {
        const money = { value: total.value, currency: total.currency ?? currency };
        const check = unlessLarger(checkMessage(money, stated, formats), money.value, most);
        if (check) cell.check = check;
      }
      fields.push({ label: labels(key), cell });
    } else if (isTable(value)) {
      const table = describeTable(key, label, value, formats, currency, rows);
      rest.push(table);
      if (table.left > 0)
        rest.push({
          kind: "json",
          label: `${label}: ${plural(table.left, "more line")}`,
          value: value.slice(table.rows.length),
        });
    } else rest.push({ kind: "json", label, value });
  }
  checkSums(rest, values, { stated, formats, currency });
  return fields.length > 0 ? [{ kind: "fields", ...(group ? { label: group } : {}), fields }, ...rest] : rest;
}

/** Lists of such a name are alternatives, of which one is chosen: they add up to nothing. */
const ALTERNATIVES =
  /(^|_)(quotes?|quotations?|offers?|options?|alternatives?|bids?|tenders?|candidates?|proposals?|choices?|estimates?|variants?|suppliers?|vendors?)$/;

/**
 * Checks a sum against the total beside it, else against the message, and takes a sum away that is compared with nothing.
 * With several tables a difference is not shown, since any of them may be meant; nor is one of alternatives.
 */
function checkSums(
  blocks: FactBlock[],
  values: Json,
  { stated, formats, currency }: { stated: FoundMoney[]; formats: Formats; currency: string | null },
): void {
  const summed = blocks.filter((block) => block.kind === "table").filter((table) => table.sum !== null);
  if (summed.length === 0) return;
  const checkTotal = totalChecker(values, formats);
  const total = totalOf(values)?.value ?? 0;
  const beside = largestShown(
    Object.fromEntries(Object.entries(values).filter(([, each]) => !isTable(each))),
  );
  for (const table of summed) {
    const { sum } = table;
    if (!sum) continue;
    const unit = sum.currency ?? currency;
    const value = inUnits(sum.columnKey, sum.value, unit);
    const found = checkTotal?.(value, unit) ?? checkMessage({ value, currency: unit }, stated, formats);
    // The total may hold taxes, too.
    const check = unlessLarger(found, Math.max(Math.abs(value), Math.abs(total)), beside);
    const mayDiffer = summed.length === 1 && !ALTERNATIVES.test(snake(table.key));
    if (check && (check.ok || mayDiffer)) sum.check = check;
    else table.sum = null;
  }
}

/** A longer name stands in front of no groups and tables, but of JSON: it would be drawn before each of them. */
const MOST_LEADING = 200;

/** `name`: with those of the objects around it. */
function isGroup(value: unknown, name: string): value is Json {
  return isObject(value) && Object.keys(value).length > 0 && name.length <= MOST_LEADING;
}

/** Entries of a long list or object in JSON that are shown at first, and added by each press. */
export const ENTRIES_SHOWN = 100;

/** How many entries the first two levels of a JSON value show. Pure. */
export function nodesIn(value: unknown, levels = 2): number {
  if (levels === 0 || typeof value !== "object" || value === null) return 0;
  const entries = Object.values(value).slice(0, ENTRIES_SHOWN);
  return entries.reduce<number>((sum, each) => sum + nodesIn(each, levels - 1), entries.length);
}

/** Levels further in are text: browsers end at some hundreds. */
const MOST_LEVELS = 30;

/** How many levels of a JSON value have at most so many entries together; at least one. */
export function levelsOf(value: unknown, most: number): number {
  let levels = 0;
  let level = [value];
  let nodes = 0;
  do {
    levels++;
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? Object.values(each).slice(0, ENTRIES_SHOWN) : [],
    );
    nodes += level.length;
  } while (level.length > 0 && nodes <= most && levels <= MOST_LEVELS);
  return Math.max(1, levels - 1);
}
