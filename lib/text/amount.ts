/** Reads amounts of money from the arguments of a tool call: the one that lists show, and the largest, by which rules go. Pure. */

import { named } from "./foreign/quoted.ts";
import { isRecord } from "./json.ts";
import { shorten } from "./labels.ts";
import {
  CURRENCIES,
  findMoney,
  isMoneyBeside,
  isMoneyName,
  plainName,
  readMoney,
  sameAmount,
  sumAmounts,
  wordsOf,
} from "./money.ts";

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
/** The same of amounts: a page has 200 requests. */
const MOST_SHOWN = 200;
export const isWide = (values: Record<string, unknown>) => Object.keys(values).length > MOST_NAMES;

/**
 * Finds the amount of a request. Looks at the top level of the arguments, or inside their only object, for a
 * field such as `total`, `amountDue` or `price_eur` whose value is a number, or text with nothing but an
 * amount that has one reading. The currency is taken from the name, the text or a field `currency` beside it, else from the
 * message if that states the same amount.
 *
 * Without a named amount, the sum of a list's only money column counts if the message states that sum.
 * Returns null if no amount is found, and where the arguments name a larger one or one that can't be read: the tool may read that one.
 */
export function amountOf(args: Record<string, unknown>, message: string): Amount | null {
  const found = namedAmount(args, message);
  if (found === null) return null;
  const read = readLargestShown(args);
  return "unclear" in read || (read.largest ?? 0) > Math.abs(found.value) ? null : found;
}

/** The currency of the amount that the names of the arguments promise, also where another amount is larger: for rules. */
export function currencyOfAmount(args: Record<string, unknown>, message: string): string | null {
  return namedAmount(args, message)?.currency ?? null;
}

/** Whether a name promises an amount, also where another amount is larger. */
export function hasNamedAmount(args: Record<string, unknown>, message: string): boolean {
  return namedAmount(args, message) !== null;
}

function namedAmount(args: Record<string, unknown>, message: string): Amount | null {
  if (isWide(args)) return null;
  const objects = Object.values(args).filter(isRecord);
  const levels = [args, ...(objects.length === 1 ? objects.filter((object) => !isWide(object)) : [])];
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
  if (isWide(values)) return null;
  // What rules don't take for money (lib/policy/call-rules) is not shown as an amount either.
  const names = Object.keys(values).filter(isMoneyName);
  const fields = names.map((key) => {
    const currency = currencyInName(key);
    return { key, currency, name: currency ? apart(key).slice(0, -4) : apart(key) };
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
  const code = /_([a-z]{3})$/.exec(apart(key))?.[1]?.toUpperCase() ?? "";
  return CURRENCIES.has(code) ? code : null;
}

/** As `snake`, and with words of money apart that are written together: `amounteur` is `amount_eur`. */
function apart(key: string): string {
  return /^[a-z]+$/i.test(key) ? wordsOf(key).join("_") : snake(key);
}

/** Returns what a field `currency` beside the amounts says, or null. */
export function currencyOf(values: Record<string, unknown>): string | null {
  return currenciesOf(values)[0] ?? null;
}

/** Returns what all fields such as `currency` and `currencyCode` say. */
export function currenciesOf(values: Record<string, unknown>): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (typeof value !== "string" || !/^currency/i.test(plainName(key))) return [];
    if (!/^currency(_?code)?$/.test(snake(key))) return [];
    const code = plainName(value).trim().toUpperCase();
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
function unitOf(key: string): (currency: string | null) => number {
  const word = smallUnitIn(key);
  if (word === null) return () => 1;
  return (currency) =>
    10 ** (word === "minor" && currency !== null && CURRENCIES.has(currency) ? decimalsOf(currency) : 2);
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

export function isInCents(key: string): boolean {
  return smallUnitIn(key) !== null;
}

const SMALL_UNIT = /^(?:cents|pence|minor)$/;
/** What may stand behind them: `amount_minor_units`, `cents_total`. The cost of `minor_repairs` is in whole units. */
const OF_SMALL_UNIT = new Set("unit units amount amounts total totals value net gross due paid".split(" "));

/** The word by which a name says that its amounts are in hundredths or in the smallest unit, or null. In doubt it says no such thing. */
function smallUnitIn(key: string): string | null {
  if (!/cents|pence|minor|[^ -~]/i.test(key)) return null;
  const words = wordsOf(key);
  const at = words.findLastIndex((word) => SMALL_UNIT.test(word));
  const word = words[at];
  if (word === undefined) return null;
  const isOfMoney = word !== "minor" && isMoneyName(words[at - 1] ?? "");
  const isLast = words
    .slice(at + 1)
    .every((next) => OF_SMALL_UNIT.has(next) || CURRENCIES.has(next.toUpperCase()));
  return isOfMoney || isLast ? word : null;
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

/** Last words of names that are about money, and are no sum of it: `payment_id`, `invoiceTotalDate`. */
const NO_SUM = new Set("id ids number no ref reference date at method terms code type status".split(" "));
/** The same of names that stand below one about money, as `iban` in `payment`, and say nothing of money themselves. */
const NO_SUM_BELOW = new Set([
  ...NO_SUM,
  ..."account iban bic name title description note notes memo comment reason purpose subject".split(" "),
  ..."url email address phone payee recipient vendor supplier customer".split(" "),
  ..."precision scale decimals exponent count quantity version index".split(" "),
]);

/** `unclear`: why there may be a larger one than can be read. */
export type Largest = { largest: number | null } | { unclear: string };

/**
 * Returns the largest amount that any field of money names, at any depth: the one that lists show could be another that the caller
 * added. What stands below such a field counts too, as in `amount: {value: 9000}`. Null: there is none. It is unclear where an amount
 * has no single reading, and where there are more than are read.
 */
export const readLargest = keptByArguments((args) => scanFor(args, MOST_AMOUNTS));

/** As `readLargest`, among fewer amounts: for lists and pages. */
export const readLargestShown = keptByArguments((args) => scanFor(args, MOST_SHOWN));

function scanFor(args: Record<string, unknown>, most: number): Largest {
  const left = { amounts: most, names: most * NAMES_AN_AMOUNT };
  const scan: Scan = { most, left, largest: null, unclear: null, places: new Map() };
  look(args, NOWHERE, scan);
  return scan.unclear === null ? { largest: scan.largest } : { unclear: scan.unclear };
}

/** A server may ask a hundred questions about the same arguments, and each is judged in more than one place. */
function keptByArguments(
  read: (args: Record<string, unknown>) => Largest,
): (args: Record<string, unknown>) => Largest {
  const known = new WeakMap<object, Largest>();
  return (args) => {
    const found = known.get(args) ?? read(args);
    known.set(args, found);
    return found;
  };
}

/** More than any call has that somebody made on purpose; each is read in some microseconds. */
const MOST_AMOUNTS = 10_000;
/** Names about money that are read word by word for each amount that may be read: `payment_id` is none, and takes as long. */
const NAMES_AN_AMOUNT = 10;

interface Scan {
  most: number;
  left: { amounts: number; names: number };
  largest: number | null;
  /** Once set, nothing more is looked at. */
  unclear: string | null;
  /** Lines of a list have the same names: each is read once below each name, beside a currency and without. */
  places: Map<string, Map<string, Named>>;
}

/** What a name says of the values under it. */
interface Named {
  /** The name by which they are amounts; empty: they are none. */
  name: string;
  /** The nearest name about money, for what stands below; empty: none. */
  above: string;
  unit: ReturnType<typeof unitOf>;
}

/** Where a value stands. */
interface Place extends Named {
  /** The currencies that are named nearest. */
  currencies: string[];
}

const NOWHERE: Place = { name: "", above: "", currencies: [], unit: () => 1 };

/** Each amount is read in each of them. */
const MOST_CURRENCIES = 10;

function look(value: unknown, place: Place, scan: Scan): void {
  // Objects too, as each of their names is read.
  if (place.name !== "" && !Array.isArray(value) && --scan.left.amounts < 0)
    scan.unclear = `the arguments have more than ${scan.most} amounts`;
  if (typeof value !== "object" || value === null) {
    lookAtAmount(value, place, scan);
    return;
  }
  if (place.name !== "" && Object.keys(value).length > scan.left.amounts) {
    scan.unclear = `the arguments have more than ${scan.most} amounts`;
    return;
  }
  const named = [...new Set(currenciesOf(value as Record<string, unknown>))];
  if (named.length > MOST_CURRENCIES)
    scan.unclear = `the arguments name more than ${MOST_CURRENCIES} currencies in one place`;
  const currencies = named.length > 0 ? named : place.currencies;
  for (const [key, each] of Object.entries(value)) {
    if (scan.unclear !== null) return;
    const around = Array.isArray(value) ? place : namedBy(key, place.above, named.length > 0, scan);
    look(each, { ...around, currencies }, scan);
  }
}

/** `isBeside`: a currency is named beside it. */
function namedBy(key: string, above: string, isBeside: boolean, scan: Scan): Named {
  const { places, left } = scan;
  const place = `${isBeside ? "+" : "-"}${above}`;
  const below = places.get(place) ?? new Map<string, Named>();
  places.set(place, below);
  const known = below.get(key);
  if (known !== undefined) return known;
  const isMoney = isMoneyBeside(key, isBeside);
  const isNone = !isMoney && above === "";
  if (!isNone && --left.names < 0) scan.unclear = "the arguments have too many names about money";
  const isNoSum = isNone || (isMoney ? NO_SUM : NO_SUM_BELOW).has(wordsOf(key).at(-1) ?? "");
  const name = isMoney ? key : `${above}_${key}`;
  const found = isNoSum ? NOWHERE : { name, above: isMoney ? key : above, unit: unitOf(name) };
  below.set(key, found);
  return found;
}

/** Of a name in a sentence of Intray's own. */
const NAME_SHOWN = 40;

function lookAtAmount(value: unknown, { name, unit, currencies }: Place, scan: Scan): void {
  if (name === "") return;
  if (typeof value !== "number" && typeof value !== "string") return;
  const money = readMoney(value);
  if (money) {
    // The caller names the currencies: none of them makes less of the smallest unit than a hundredth.
    const smallest = Math.min(unit(null), unit(money.currency), ...currencies.map(unit));
    scan.largest = Math.max(scan.largest ?? 0, Math.abs(money.value) / smallest);
  }
  // Digits of any script, and a number that is too large for one (`1e999`): the tool may read what Intray can't.
  else if (typeof value === "number" || /\p{N}/u.test(value))
    scan.unclear = `the amount of the argument ${named(shorten(name, NAME_SHOWN))} has more than one reading, or none`;
}

/** Of a name: no word about money stands behind that, and a name is read for each value under it. */
const READ_OF_NAME = 200;

export function snake(name: string): string {
  return plainName(name)
    .slice(0, READ_OF_NAME)
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/[\s-]+/g, "_")
    .toLowerCase();
}
