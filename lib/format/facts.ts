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
  | { kind: "fields"; fields: { label: string; cell: Cell }[] }
  | FactTable
  | { kind: "json"; label: string; value: unknown };

type Json = Record<string, unknown>;

/** Arguments as people read them: plain fields first, then a table for each list of objects. */
export function describeFacts(values: Json): FactBlock[] {
  const fields: { label: string; cell: Cell }[] = [];
  const rest: FactBlock[] = [];
  collect(values, "", fields, rest);
  return fields.length > 0 ? [{ kind: "fields", fields }, ...rest] : rest;
}

function collect(values: Json, prefix: string, fields: { label: string; cell: Cell }[], rest: FactBlock[]) {
  for (const [key, value] of Object.entries(values)) {
    const label = prefix ? `${prefix} · ${humanise(key)}` : humanise(key);
    const cell = describeValue(key, value);
    if (cell) fields.push({ label, cell });
    else if (isTable(value)) rest.push(describeTable(key, label, value));
    else if (isObject(value) && prefix === "") collect(value, label, fields, rest);
    else rest.push({ kind: "json", label, value });
  }
}

function describeTable(key: string, label: string, items: Json[]): FactTable {
  const keys = [...new Set(items.flatMap(Object.keys))];
  const columns = keys.map((each) => ({
    key: each,
    label: humanise(each),
    numeric: items.every((item) => item[each] == null || typeof item[each] === "number"),
  }));
  // Figures stand at the right edge, where sums are read.
  columns.sort((a, b) => Number(a.numeric) - Number(b.numeric));
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
