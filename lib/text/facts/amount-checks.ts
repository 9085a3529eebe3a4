/**
 * Checks whether the figures of a call agree with each other and with the message. Pure; wrong figures are
 * reported, never corrected.
 */
import { currencyInName, inUnits, snake, totalOf } from "../amount.ts";
import type { Formats } from "../formats/formats.ts";
import {
  type FoundMoney,
  findMoney,
  isMoneyName,
  type Money,
  mayBeSameCurrency,
  readMoney,
  sameAmount,
  sumAmounts,
  wordsOf,
  writeFound,
} from "../money.ts";

/** The note beside a figure: a tick with words, or the difference in red. */
export interface Check {
  ok: boolean;
  words: string;
  /** The figures agree, and their currencies do not. */
  currencyOnly?: true;
}

type Json = Record<string, unknown>;

/** The amounts that a message states, each once. */
export function amountsIn(message: string): FoundMoney[] {
  const found = findMoney(message).map((money) => [
    `${money.currency} ${money.readings ? money.text : money.value}`,
    money,
  ]);
  return [...new Map(found as [string, FoundMoney][]).values()];
}

/**
 * Compares an amount with those that the message states. Returns null if it states none, one that may be the amount and may be
 * another (`12.500 EUR`, `EUR 3 million`), or the amount and a larger one: neither a tick nor a warning would be true.
 */
export function checkMessage(
  { value, currency }: Money,
  stated: FoundMoney[],
  formats: Formats,
): Check | null {
  if (stated.length === 0) return null;
  const same = stated.filter(
    // “Refund of $5.00” and -5 are the same amount; “-$5.00” and 5 are not.
    (money) => sameAmount(money.value, value) || (money.value > 0 && sameAmount(money.value, -value)),
  );
  if (same.some((money) => mayBeSameCurrency(money.currency, currency)))
    return stated.some((money) => mayBeLarger(money, value)) ? null : { ok: true, words: "Matches message" };
  if (stated.some(({ readings }) => readings && mayBe(readings, value))) return null;
  const there = [...new Set(stated.slice(0, 3).map((money) => writeFound(money, formats.amount)))].join(
    " and ",
  );
  return { ok: false, words: `Message says ${there}`, ...(same.length > 0 && { currencyOnly: true }) };
}

function mayBe(readings: number[], value: number): boolean {
  return readings.length === 0 || readings.some((each) => sameAmount(Math.abs(each), Math.abs(value)));
}

function mayBeLarger(stated: FoundMoney, value: number): boolean {
  const { readings = [stated.value] } = stated;
  return readings.length === 0 || readings.some((each) => Math.abs(each) >= Math.abs(value) + 0.005);
}

const ADDED = new Set(
  "tax taxes vat gst shipping freight delivery fee fees tip tips surcharge handling".split(" "),
);
const TAKEN = new Set("discount discounts rebate credit deposit prepaid".split(" "));
/** Last words of names that hold an amount, beside those and words of money: `tax_id` and `shipping_zone` hold none. */
const OF_AMOUNTS = new Set("charge charges value due applied minor".split(" "));
const OF_RATES = new Set("rate percent percentage pct".split(" "));
/** A number of such a name may be a rate: `tax: 20` and `tax: 0.2`. */
const MAY_BE_RATE = new Set("tax vat gst discount rebate".split(" "));

/** What lies between the lines and their total. `as`: what its name says, or leaves open. */
interface Between {
  value: number;
  as: "amount" | "rate" | "either";
}

function betweenIn(key: string, sent: unknown): Between | null {
  const money = readMoney(sent);
  const words = wordsOf(key);
  const last = words.at(-1) ?? "";
  const isTaken = words.some((word) => TAKEN.has(word));
  if (!money || !(isTaken || words.some((word) => ADDED.has(word)))) return null;
  const mayBeRate = words.some((word) => MAY_BE_RATE.has(word));
  const isRate = OF_RATES.has(last) && (mayBeRate || last !== "rate");
  const isNamed = TAKEN.has(last) || ADDED.has(last) || OF_AMOUNTS.has(last) || OF_RATES.has(last);
  if (!isNamed && !isMoneyName(last) && currencyInName(key) === null) return null;
  const value = inUnits(key, money.value);
  return {
    value: isTaken ? -Math.abs(value) : value,
    as: isRate ? "rate" : mayBeRate ? "either" : "amount",
  };
}

/**
 * Returns what compares a sum of lines with the total beside them, allowing for taxes, fees and discounts, or null without
 * a total. The values are read once, for any number of sums.
 */
export function totalChecker(
  values: Json,
  formats: Formats,
): ((sum: number, currency: string | null) => Check) | null {
  const total = totalOf(values);
  if (!total) return null;
  const between = Object.entries(values).flatMap(([key, value]) => betweenIn(key, value) ?? []);
  return (sum, currency) => {
    const agrees = explains(sum, total.value, between);
    if (agrees && !mayBeSameCurrency(total.currency, currency))
      return { ok: false, words: "Total is in another currency", currencyOnly: true };
    return agrees
      ? { ok: true, words: "Matches total" }
      : { ok: false, words: `Total says ${formats.money(total.value)}` };
  };
}

/** More percent are none of an ordinary tax or discount, unless the name says that it is a rate. */
const MOST_PERCENT = 30;
/** A rate explains no total that the value as an amount misses by a smaller share: that is a wrong total. */
const FAR_OFF = 0.01;

function explains(sum: number, total: number, between: Between[]): boolean {
  const amounts = between.flatMap(({ value, as }) => (as === "rate" ? [] : [value]));
  const plain = sumAmounts([sum, ...amounts]);
  if (sameAmount(sum, total) || sameAmount(plain, total)) return true;
  const [only, ...others] = between;
  if (only === undefined || others.length > 0 || only.as === "amount") return false;
  if (only.as === "either" && Math.abs(plain - total) <= Math.abs(total) * FAR_OFF) return false;
  const most = only.as === "rate" ? 99 : MOST_PERCENT;
  const isWithin = (percent: number) =>
    Math.abs(percent) <= most && sameAmount(sum * (1 + percent / 100), total);
  return isWithin(only.value) || isWithin(only.value * 100);
}

const QUANTITY = /^(qty|quantity|units|hours|days|count|pieces|pcs|nights|seats)$/;
const UNIT_PRICE =
  /^(unit_?(price|cost|amount)|price|rate|unit_rate|price_(per_unit|each)|each|hourly_rate|daily_rate)(_cents)?$/;

/** Whether a column holds the price of one unit, not of the line. */
export function isUnitPrice(key: string): boolean {
  return UNIT_PRICE.test(snake(key));
}

/**
 * Returns the difference of a line whose amount is not quantity times price, or null if the line agrees or
 * lacks one of the three.
 */
export function checkLine(line: Json, amountKey: string, { money, number }: Formats): Check | null {
  const keys = Object.keys(line);
  const quantityKey = keys.find((key) => QUANTITY.test(snake(key)));
  const priceKey = keys.find((key) => key !== amountKey && isUnitPrice(key));
  // A tax or discount of the line itself explains a difference.
  const other = keys.some(
    (key) =>
      key !== amountKey &&
      key !== priceKey &&
      (isMoneyName(key) || wordsOf(key).some((word) => TAKEN.has(word) || ADDED.has(word))),
  );
  if (quantityKey === undefined || priceKey === undefined || other) return null;
  const quantity = readMoney(line[quantityKey]);
  const price = readMoney(line[priceKey]);
  const amount = readMoney(line[amountKey]);
  if (!quantity || !price || !amount) return null;
  const product = quantity.value * inUnits(priceKey, price.value);
  if (Math.abs(product - inUnits(amountKey, amount.value)) < 0.011) return null;
  return {
    ok: false,
    words: `${number(quantity.value)} × ${money(inUnits(priceKey, price.value))} is ${money(product)}`,
  };
}
