import { humanise, plural } from "./labels.ts";
import { formatMoney, isMoneyName, sumAmounts } from "./money.ts";
import { formatDate, isDateText } from "./time.ts";

/** One value, ready to be shown. `at` is the date as sent, for the words beside it. */
export type Cell =
  | { kind: "text"; text: string }
  | { kind: "number"; text: string }
  | { kind: "date"; text: string; at: string }
  | { kind: "empty" };

export interface Column {
  key: string;
  label: string;
  numeric: boolean;
  /** What the row is about; the other columns stand back. */
  lead: boolean;
}

export interface FactTable {
  kind: "table";
  label: string;
  columns: Column[];
  rows: Cell[][];
  /** Set where one column is money: its recomputed sum. */
  sum: { label: string; columnKey: string; value: number } | null;
}

export type FactBlock =
  | { kind: "fields"; label?: string; fields: { label: string; cell: Cell }[] }
  | FactTable
  | { kind: "json"; label: string; value: unknown };

type Json = Record<string, unknown>;

/** Arguments as people read them: plain fields, a group for each object, a table for each list of objects. */
export function describeFacts(values: Json): FactBlock[] {
  const [only, ...others] = Object.values(values);
  // An object that is the only argument is a wrapping: its name says nothing that its fields do not.
  if (others.length === 0 && isObject(only) && Object.keys(only).length > 0) return describeFacts(only);
  const groups = Object.entries(values).filter(([key, value]) => isGroup(key, value));
  const plain = Object.fromEntries(Object.entries(values).filter(([key, value]) => !isGroup(key, value)));
  return [
    ...describeGroup(plain),
    ...groups.flatMap(([key, value]) => describeGroup(value as Json, humanise(key))),
  ];
}

/** Only what can be read at a glance; an object in an object stays JSON. */
function describeGroup(values: Json, group?: string): FactBlock[] {
  const fields: { label: string; cell: Cell }[] = [];
  const rest: FactBlock[] = [];
  for (const [key, value] of Object.entries(values)) {
    const label = group ? `${group} · ${humanise(key)}` : humanise(key);
    const cell = describeValue(key, value);
    if (cell) fields.push({ label: humanise(key), cell });
    else if (isTable(value)) rest.push(describeTable(key, label, value));
    else rest.push({ kind: "json", label, value });
  }
  return fields.length > 0 ? [{ kind: "fields", ...(group ? { label: group } : {}), fields }, ...rest] : rest;
}

function isGroup(key: string, value: unknown): boolean {
  return describeValue(key, value) === null && isObject(value);
}

const ORDINAL = /^(line|row|position|pos|index|no|nr|#)$/i;
const TITLE = /^(line|description|name|title|item|product|subject|text)$/i;

function describeTable(key: string, label: string, items: Json[]): FactTable {
  const keys = [...new Set(items.flatMap(Object.keys))];
  const kinds = keys.map((each) => {
    const figures = items.every((item) => item[each] == null || typeof item[each] === "number");
    const ordinal = figures && ORDINAL.test(each);
    const amount = figures && isMoneyName(each);
    return {
      key: each,
      figures: figures && !ordinal,
      rank: ordinal ? 0 : TITLE.test(each) ? 1 : amount ? 3 : 2,
    };
  });
  // As sent, but what a line is called leads, and amounts stand at the right edge, where sums are read.
  kinds.sort((a, b) => a.rank - b.rank);
  const lead = kinds.find(({ rank }) => rank !== 0);
  const columns = kinds.map((each) => ({
    key: each.key,
    label: humanise(each.key),
    numeric: each.figures,
    lead: each === lead,
  }));
  const rows = items.map((item) =>
    columns.map((column): Cell => {
      const value = item[column.key];
      return describeValue(column.key, value) ?? { kind: "text", text: JSON.stringify(value) };
    }),
  );
  const money = columns.filter((column) => column.numeric && isMoneyName(column.key));
  const summed = money.length === 1 ? money[0]! : null;
  return {
    kind: "table",
    label,
    columns,
    rows,
    sum: summed && {
      label: `Sum of ${plural(items.length, singular(key), humanise(key).toLowerCase())}`,
      columnKey: summed.key,
      value: sumAmounts(items.map((item) => Number(item[summed.key] ?? 0))),
    },
  };
}

/** A single value as a cell, or null for what needs a block of its own. */
function describeValue(name: string, value: unknown): Cell | null {
  if (value === null || value === undefined || value === "") return { kind: "empty" };
  if (typeof value === "boolean") return { kind: "text", text: value ? "Yes" : "No" };
  if (typeof value === "number") {
    // Other figures stand as sent: build 4812 and the year 2026 are no amounts.
    return { kind: "number", text: isMoneyName(name) ? formatMoney(value) : String(value) };
  }
  if (typeof value === "string") {
    return isDateText(value)
      ? { kind: "date", text: formatDate(value), at: value }
      : { kind: "text", text: value };
  }
  if (Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null)) {
    return value.length === 0 ? { kind: "empty" } : { kind: "text", text: value.map(String).join(", ") };
  }
  return null;
}

function isTable(value: unknown): value is Json[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every(isObject) && Object.keys(value[0]!).length <= 8
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function singular(key: string): string {
  return humanise(key).toLowerCase().replace(/s$/, "");
}
