/** Reads a request's amount of money from the arguments of its tool call. Pure. */
import { findAmounts, isMoneyName, sumAmounts } from "./money.ts";

export interface Amount {
  value: number;
  /** An ISO code or a sign, as sent; null if none was. */
  currency: string | null;
}

/** Field names of a total amount, most reliable first. */
const NAMES = [
  "grand_total",
  "total",
  "total_amount",
  "amount_total",
  "total_due",
  "amount_due",
  "amount",
  "sum",
  "total_price",
  "price",
  "total_cost",
  "cost",
];
const CURRENCY_NAME = /^currency(_code)?$/;
const CURRENCIES = new Set([...Intl.supportedValuesOf("currency"), "$", "€", "£", "¥"]);
const LARGEST = 1e15;
const MONEY = /([$€£¥]|\b[A-Z]{3})?\s?(-?\d(?:[\d,.'\u00a0\u202f]*\d)?)\s?([€£]|[A-Z]{3}\b)?/g;

/**
 * Finds the amount of a request. Looks at the top level of the arguments, or inside their only object, for a
 * field such as `total`, `amountDue` or `price_eur` whose value is a number, or text with nothing but an
 * amount. The currency is taken from the name, the text or a field `currency` beside it, else from the
 * message if that states the same amount.
 *
 * Without a named amount, the sum of a list's only money column counts if the message states that sum.
 * Returns null if no amount is found.
 */
export function amountOf(args: Record<string, unknown>, message: string): Amount | null {
  const objects = Object.values(args).filter(isRecord);
  const levels = [args, ...(objects.length === 1 ? objects : [])];
  for (const level of levels) {
    const found = named(level);
    if (!found) continue;
    return {
      ...found,
      currency: found.currency ?? beside(level) ?? beside(args) ?? stated(message, found.value),
    };
  }
  for (const level of levels) {
    const sum = sumOfLines(level);
    const currency = sum === null ? null : stated(message, sum);
    if (sum !== null && currency !== null) return { value: sum, currency: beside(level) ?? currency };
  }
  return null;
}

function named(level: Record<string, unknown>): Amount | null {
  const fields = Object.entries(level).map(([key, value]) => {
    const name = snake(key);
    const code = /^(.+)_([a-z]{3})$/.exec(name);
    const known = code && isMoneyName(code[2] ?? "") && NAMES.includes(code[1] ?? "");
    return known
      ? { name: code[1], value, currency: code[2]?.toUpperCase() ?? null }
      : { name, value, currency: null };
  });
  for (const name of NAMES) {
    for (const field of fields) {
      if (field.name !== name) continue;
      const amount = typeof field.value === "string" ? fromText(field.value) : fromNumber(field.value);
      if (amount) return { value: amount.value, currency: field.currency ?? amount.currency };
    }
  }
  return null;
}

function fromNumber(value: unknown): Amount | null {
  return typeof value === "number" && Math.abs(value) < LARGEST ? { value, currency: null } : null;
}

/** Reads text that contains an amount and nothing else, e.g. `1,000.00`, `$12` or `99.50 EUR`. */
function fromText(text: string): Amount | null {
  const [only, ...others] = moneyIn(text.trim());
  return only && others.length === 0 && only.text === text.trim() ? only : null;
}

/** Returns the currency in which the message states the amount, or null. */
function stated(message: string, value: number): string | null {
  const found = moneyIn(message).find(
    (money) => money.currency !== null && Math.abs(money.value - value) < 0.005,
  );
  return found?.currency ?? null;
}

function moneyIn(text: string): (Amount & { text: string })[] {
  return [...text.matchAll(MONEY)].flatMap(([whole, before, figure, after]) => {
    const [value] = findAmounts(`$${figure}`);
    const marks = [before, after].filter((mark) => mark !== undefined);
    // "INV 100" is not money
    if (value === undefined || Math.abs(value) >= LARGEST || !marks.every((mark) => CURRENCIES.has(mark)))
      return [];
    return [{ value, currency: marks[0] ?? null, text: whole.trim() }];
  });
}

function beside(level: Record<string, unknown>): string | null {
  for (const [key, value] of Object.entries(level)) {
    if (!CURRENCY_NAME.test(snake(key)) || typeof value !== "string") continue;
    const code = value.trim().toUpperCase();
    if (CURRENCIES.has(code)) return code;
  }
  return null;
}

/** Sums the only list of objects, if exactly one of its columns is money and a number in every line. */
function sumOfLines(level: Record<string, unknown>): number | null {
  const lists = Object.values(level).filter(
    (value): value is Record<string, unknown>[] =>
      Array.isArray(value) && value.length > 0 && value.every(isRecord),
  );
  const [lines] = lists;
  if (!lines || lists.length > 1) return null;
  const columns = Object.keys(lines[0] ?? {}).filter((key) => isMoneyName(key));
  const values = lines.map((line) => line[columns[0] ?? ""]);
  if (columns.length !== 1 || !values.every((value) => typeof value === "number")) return null;
  return sumAmounts(values);
}

function snake(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[\s-]+/g, "_")
    .toLowerCase();
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
