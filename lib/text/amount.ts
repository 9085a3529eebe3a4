/** Reads a request's amount of money from the arguments of its tool call. Pure. */

import { isRecord } from "./json.ts";
import { CURRENCIES, findMoney, isMoneyName, readMoney, sameAmount, sumAmounts } from "./money.ts";

export interface Amount {
  value: number;
  /** An ISO code or a sign, as sent; null if none was. */
  currency: string | null;
}

/** Field names of a total amount, most reliable first among equals: for lists, and for the marks of a request's page. */
const TOTALS = [
  "grand_total",
  "total",
  "total_amount",
  "amount_total",
  "invoice_total",
  "total_due",
  "amount_due",
  "total_cents",
  "amount",
  "amount_cents",
  "sum",
  "total_price",
  "price",
  "total_cost",
  "cost",
];
const LARGEST = 1e15;
/** Among more, none is shown: it could be another than the tool reads. Rules read them all. */
const MOST_NAMES = 300;

/**
 * Finds the amount of a request. Looks at the top level of the arguments, or inside their only object, for a
 * field such as `total`, `amountDue` or `price_eur` whose value is a number, or text with nothing but an
 * amount that has one reading. The currency is taken from the name, the text or a field `currency` beside it, else from the
 * message if that states the same amount.
 *
 * Without a named amount, the sum of a list's only money column counts if the message states that sum.
 * Returns null if no amount is found.
 */
export function amountOf(args: Record<string, unknown>, message: string): Amount | null {
  const objects = Object.values(args).filter(isRecord);
  const levels = [args, ...(objects.length === 1 ? objects : [])];
  for (const level of levels) {
    const found = totalOf(level);
    if (!found) continue;
    const { value, currency } = found;
    return { value, currency: currency ?? currencyOf(args) ?? stated(message, value) };
  }
  for (const level of levels) {
    const sum = sumOfLines(level);
    const currency = sum === null ? null : stated(message, sum);
    if (sum !== null && currency !== null) return { value: sum, currency: currencyOf(level) ?? currency };
  }
  return null;
}

/** Returns the field that holds the total, the largest of several, or null if none does. `value` is never in cents. */
export function totalOf(
  values: Record<string, unknown>,
): { key: string; value: number; currency: string | null } | null {
  const all = Object.keys(values);
  if (all.length > MOST_NAMES) return null;
  // What rules don't take for money (lib/policy/call-rules) is not shown as an amount either.
  const names = all.filter(isMoneyName);
  const fields = names.map((key) => {
    const currency = currencyInName(key);
    return { key, currency, name: currency ? snake(key).slice(0, -4) : snake(key) };
  });
  const said = currencyOf(values);
  const named = TOTALS.flatMap((name) => fields.filter((field) => field.name === name));
  // A caller may add a small `price` beside the amount that the tool reads, and that can't be read here.
  if (named.some(({ key }) => isUnreadable(values[key]))) return null;
  const totals = named.flatMap(({ key, currency }) => {
    const money = readMoney(values[key]);
    if (!money || Math.abs(money.value) >= LARGEST) return [];
    const known = money.currency ?? currency ?? said;
    return [{ key, value: inUnits(key, money.value, known), currency: known }];
  });
  // A caller may add a small `grand_total` beside the amount that the tool reads.
  return totals.reduce<(typeof totals)[number] | null>(
    (most, each) => (most === null || Math.abs(each.value) > Math.abs(most.value) ? each : most),
    null,
  );
}

/** Whether a value may be an amount, and nobody here can tell which. */
function isUnreadable(value: unknown): boolean {
  if (typeof value === "object") return value !== null;
  return typeof value === "string" && /\d/.test(value) && readMoney(value) === null;
}

/** Returns the currency of `price_eur`, or null: `total_tax` and `total_fee` name none. */
export function currencyInName(key: string): string | null {
  const code = /_([a-z]{3})$/.exec(snake(key))?.[1]?.toUpperCase() ?? "";
  return CURRENCIES.has(code) ? code : null;
}

/** Returns what a field `currency` beside the amounts says, or null. */
export function currencyOf(values: Record<string, unknown>): string | null {
  return currenciesOf(values)[0] ?? null;
}

/** Returns what all fields such as `currency` and `currencyCode` say. */
export function currenciesOf(values: Record<string, unknown>): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (typeof value !== "string" || !/^currency/i.test(key) || !/^currency(_?code)?$/.test(snake(key)))
      return [];
    const code = value.trim().toUpperCase();
    return /^([A-Z]{3,5}|[$€£¥])$/.test(code) ? [code] : [];
  });
}

/**
 * The value in whole units; fields such as `amount_cents` are sent in hundredths, and `amount_minor` in the smallest
 * unit of its currency: of the yen in whole ones.
 */
export function inUnits(key: string, value: number, currency: string | null = null): number {
  return value / unitOf(key)(currency);
}

/** How many of what a field of this name is sent in make a whole unit of a currency. For many values of one name. */
export function unitOf(key: string): (currency: string | null) => number {
  const name = snake(key);
  if (!IN_CENTS.test(name)) return () => 1;
  const isMinor = /(^|_)minor(_|$)/.test(name);
  return (currency) =>
    10 ** (isMinor && currency !== null && CURRENCIES.has(currency) ? decimalsOf(currency) : 2);
}

const decimals = new Map<string, number>();

/** Of an ISO code: 0 of JPY, 2 of EUR, 3 of KWD. Kept, as it is asked for each amount of a list. */
function decimalsOf(currency: string): number {
  const known = decimals.get(currency);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const { maximumFractionDigits = 2 } = format.resolvedOptions();
  decimals.set(currency, maximumFractionDigits);
  return maximumFractionDigits;
}

const IN_CENTS = /(^|_)(cents|pence|minor)(_|$)/;

export function isInCents(key: string): boolean {
  return IN_CENTS.test(snake(key));
}

/** Returns the currency in which the message states the amount, as a sign if it uses one, or null. */
function stated(message: string, value: number): string | null {
  const found = findMoney(message).find((money) => sameAmount(money.value, value));
  return found ? (/[€£¥]/.exec(found.text)?.[0] ?? found.currency) : null;
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
  return inUnits(columns[0] ?? "", sumAmounts(values), currencyOf(level));
}

/** Of a name: no word about money stands behind that, and a name is read for each value under it. */
const READ_OF_NAME = 200;

export function snake(name: string): string {
  return name
    .slice(0, READ_OF_NAME)
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[\s-]+/g, "_")
    .toLowerCase();
}
