import { currenciesOf, currencyInName, isInCents } from "../amount.ts";
import { readAs } from "../foreign/alike.ts";
import { nameInWords } from "../foreign/names.ts";
import type { Formats } from "../formats/formats.ts";
import { asJson, humanise, plural } from "../labels.ts";
import { isMoneyName, readMoney, sumAmounts } from "../money.ts";
import { type Check, checkLine, isUnitPrice } from "./amount-checks.ts";
import { type Cell, describeValue, isObject, type Json } from "./cells.ts";

interface Column {
  key: string;
  label: string;
  numeric: boolean;
  /** The column that names the row; the other columns stand back. */
  lead: boolean;
}

export interface FactTable {
  kind: "table";
  /** The name of the list, as sent. */
  key: string;
  label: string;
  columns: Column[];
  rows: Cell[][];
  /** The number of rows left out. */
  left: number;
  /** The recomputed sum of the one column of money, in the unit of the column; null if there is none, or it means nothing. */
  sum: {
    label: string;
    columnKey: string;
    value: number;
    /** Of the rows, if they name one. */
    currency: string | null;
    inCents: boolean;
    check?: Check;
  } | null;
}

/** Wider tables are read better as JSON. */
const MOST_COLUMNS = 10;
/** Nobody reads more rows, of all tables of a call together, and a server may send any number. */
export const MOST_ROWS = 500;
/** The most rows of a table that a page shows without a press. */
export const ROWS_SHOWN = 20;

/** Of more rows every value would be read for a sum that nobody checks. */
export const MOST_SUMMED = 10_000;

/** A list of flat objects, few enough and with few enough keys for a table. */
export function isTable(value: unknown): value is Json[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_SUMMED || !value.every(isObject))
    return false;
  const keys = new Set<string>();
  for (const item of value)
    for (const key of Object.keys(item)) if (keys.add(key).size > MOST_COLUMNS) return false;
  return keys.size > 0;
}

const ORDINAL = /^(line|row|position|pos|index|no|nr|#)$/i;
const TITLE = /^(line|description|name|title|item|product|subject|text)$/i;

/** How many rows of each table are read where a call has tables of so many: short ones leave the long ones more. */
export function rowsOfEach(lengths: number[]): number {
  let left = MOST_ROWS;
  for (const [at, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - at));
    if (length > share) return Math.max(ROWS_SHOWN, share);
    left -= length;
  }
  return MOST_ROWS;
}

/** `most`: of its rows. */
export function describeTable(
  key: string,
  label: string,
  items: Json[],
  formats: Formats,
  currency: string | null,
  most = MOST_ROWS,
): FactTable {
  const currencies = [...new Set(items.flatMap(currenciesOfRow))];
  const columns = arrange(items, currencies.length > 0 ? null : currency);
  const money = summedColumn(columns);
  const summed = currencies.length > 1 ? null : money;
  const rows = items.slice(0, most).map((item) =>
    columns.map((column): Cell => {
      const value = own(item, column.key);
      const cell = describeValue(column.key, value, formats) ?? { kind: "text", text: JSON.stringify(value) };
      const check = column.key === money ? checkLine(item, money, formats) : null;
      return check && cell.kind === "number" ? { ...cell, check } : cell;
    }),
  );
  return {
    kind: "table",
    key,
    label,
    columns,
    rows,
    left: items.length - rows.length,
    sum:
      summed === null
        ? null
        : {
            label: `Sum of ${plural(items.length, singular(key), humanise(key).toLowerCase())}`,
            columnKey: summed,
            value: sumAmounts(items.map((item) => readMoney(own(item, summed))?.value ?? 0)),
            currency: currencies[0] ?? null,
            inCents: isInCents(summed),
          },
  };
}

/** What a row says of its currency: in a field of its own, in the name of an amount, or beside the figure. */
function currenciesOfRow(item: Json): string[] {
  const beside = Object.entries(item).flatMap(([key, value]) =>
    isMoneyName(key) ? [currencyInName(key) ?? readMoney(value)?.currency ?? []].flat() : [],
  );
  return [...currenciesOf(item), ...beside];
}

/** A column may be called `constructor`, which every object has. */
function own(item: Json, key: string): unknown {
  return Object.hasOwn(item, key) ? item[key] : undefined;
}

/**
 * Orders the columns as sent, except that the column naming the line leads, and amounts are right-aligned
 * last for reading sums.
 */
function arrange(items: Json[], currency: string | null): Column[] {
  const kinds = [...new Set(items.flatMap(Object.keys))].map((key) => {
    const money = isMoneyName(key);
    const figures = items.every((item) => {
      const value = own(item, key);
      return value == null || typeof value === "number" || (money && readMoney(value) !== null);
    });
    const ordinal = figures && ORDINAL.test(key);
    const rank = ordinal ? 0 : TITLE.test(key) ? 1 : figures && money ? (isUnitPrice(key) ? 3 : 4) : 2;
    return { key, numeric: figures && !ordinal, rank };
  });
  kinds.sort((a, b) => a.rank - b.rank);
  const labels = labelsOf(kinds.map(({ key }) => key));
  const lead = kinds.find(({ rank }) => rank !== 0);
  return kinds.map((each) => ({
    key: each.key,
    label: labels(each.key) + (each.rank === 4 && currency && !isInCents(each.key) ? `, ${currency}` : ""),
    numeric: each.numeric,
    lead: each === lead,
  }));
}

/** Returns the one column of money to sum, or null. Unit prices count only without other money columns. */
function summedColumn(columns: Column[]): string | null {
  const money = columns.filter((column) => column.numeric && isMoneyName(column.key));
  const lines = money.filter((column) => !isUnitPrice(column.key));
  const counted = lines.length > 0 ? lines : money;
  return counted.length === 1 ? counted[0]!.key : null;
}

function singular(key: string): string {
  return humanise(key).toLowerCase().replace(/s$/, "");
}

/** Returns how each name is labelled: in words, or as JSON has it where another's label would look the same. */
export function labelsOf(names: string[]): (name: string) => string {
  const keys = new Map(names.map((name) => [name, readAs(humanise(name.slice(0, COMPARED_CHARACTERS)))]));
  const counts = new Map<string | undefined, number>();
  for (const key of keys.values()) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (name) => (counts.get(keys.get(name)) === 1 ? nameInWords(name) : asJson(name));
}

/** Names that are the same so far count as alike: one may have a megabyte. */
const COMPARED_CHARACTERS = 500;
