/**
 * Checks whether the figures of a call agree with each other and with the message. Pure; wrong figures are
 * reported, never corrected.
 */
import { inUnits, snake, totalOf } from "../amount.ts";
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
 * Compares an amount with those that the message states. Returns null if it states none, or one that may be
 * the amount and may be another (`12.500 EUR`, `EUR 3 million`): neither a tick nor a warning would be true.
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
    return { ok: true, words: "Matches message" };
  if (stated.some(({ readings }) => readings && mayBe(readings, value))) return null;
  const there = [...new Set(stated.slice(0, 3).map((money) => writeFound(money, formats.amount)))].join(
    " and ",
  );
  return { ok: false, words: `Message says ${there}`, ...(same.length > 0 && { currencyOnly: true }) };
}

function mayBe(readings: number[], value: number): boolean {
  return readings.length === 0 || readings.some((each) => sameAmount(Math.abs(each), Math.abs(value)));
}

const ADDED = /(^|_)(tax|vat|gst|shipping|freight|delivery|fee|fees|tip|surcharge|handling)(_|$)/;
const TAKEN = /(^|_)(discount|rebate|credit|deposit|prepaid)(_|$)/;

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
  const between = Object.entries(values).flatMap(([key, value]) => {
    const money = readMoney(value);
    if (!money) return [];
    const name = snake(key);
    const mayBeRate = RATE.test(name);
    if (TAKEN.test(name)) return [{ value: -Math.abs(inUnits(key, money.value)), mayBeRate }];
    return ADDED.test(name) ? [{ value: inUnits(key, money.value), mayBeRate }] : [];
  });
  return (sum, currency) => {
    const agrees = explains(sum, total.value, between);
    if (agrees && !mayBeSameCurrency(total.currency, currency))
      return { ok: false, words: "Total is in another currency", currencyOnly: true };
    return agrees
      ? { ok: true, words: "Matches total" }
      : { ok: false, words: `Total says ${formats.money(total.value)}` };
  };
}

/** Names of what may be a rate, as in `tax: 20` or `vat_rate: 0.2`. */
const RATE = /(^|_)(tax|vat|gst|discount|rebate)(_|$)|_(rate|percent|percentage|pct)$/;

function explains(sum: number, total: number, between: { value: number; mayBeRate: boolean }[]): boolean {
  if (sameAmount(sum, total)) return true;
  const [only, ...others] = between;
  if (only === undefined) return false;
  if (sameAmount(sumAmounts([sum, ...between.map(({ value }) => value)]), total)) return true;
  if (!only.mayBeRate || others.length > 0) return false;
  const size = Math.abs(only.value);
  if (size < 1 && sameAmount(sum * (1 + only.value), total)) return true;
  return size < 100 && sameAmount(sum * (1 + only.value / 100), total);
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
      (isMoneyName(key) || TAKEN.test(snake(key)) || ADDED.test(snake(key))),
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
