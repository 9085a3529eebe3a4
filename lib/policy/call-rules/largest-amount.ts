/** Finds the largest amount of money in the arguments of a call, for rules. Pure. */

import { currenciesOf, unitOf } from "../../text/amount.ts";
import { isMoneyName, readMoney, wordsOf } from "../../text/money.ts";
import { RuleFailure } from "../../text/rules/language.ts";

/** Last words of names that are about money, and are no sum of it: `payment_id`, `invoiceTotalDate`. */
const NO_SUM = new Set("id ids number no ref reference date at method terms code type status".split(" "));
/** The same of names that stand below one about money, as `iban` in `payment`, and say nothing of money themselves. */
const NO_SUM_BELOW = new Set([
  ...NO_SUM,
  ..."account iban bic name title description note notes memo comment reason purpose subject".split(" "),
  ..."url email address phone payee recipient vendor supplier customer".split(" "),
  ..."precision scale decimals exponent count quantity version index".split(" "),
]);

/**
 * Returns the largest amount that any field of money names, at any depth: the one that the inbox shows could be another that
 * the caller added. What stands below such a field counts too, as in `amount: {value: 9000}`. Null: there is none. Throws
 * RuleFailure for one that has no single reading, and for more than MOST_AMOUNTS, so that a person is asked.
 */
export function largestAmount(args: Record<string, unknown>): number | null {
  return largestIn(args, NOWHERE, { amounts: MOST_AMOUNTS });
}

/** More than any call has that somebody made on purpose; each is read in some microseconds. */
const MOST_AMOUNTS = 10_000;

/** Where a value stands. */
interface Place {
  /** The name by which it is an amount; empty: it is none. */
  name: string;
  /** The nearest name about money, for what stands below; empty: none. */
  above: string;
  /** The currencies that are named nearest. */
  currencies: string[];
  /** Worked out once for all values of a name. */
  unit: ReturnType<typeof unitOf>;
  /** The smallest unit that a value of this name may have, in any of the currencies. */
  smallest: number;
}

const NOWHERE: Place = { name: "", above: "", currencies: [], unit: () => 1, smallest: 1 };

/** Each amount is read in each of them. */
const MOST_CURRENCIES = 10;

function largestIn(value: unknown, place: Place, left: { amounts: number }): number | null {
  if (typeof value !== "object" || value === null) {
    if (place.name !== "" && --left.amounts < 0)
      throw new RuleFailure(`the arguments have more than ${MOST_AMOUNTS} amounts`);
    return amountAt(value, place);
  }
  // One by one: there may be more values than a function takes arguments.
  let largest: number | null = null;
  const named = [...new Set(currenciesOf(value as Record<string, unknown>))];
  if (named.length > MOST_CURRENCIES)
    throw new RuleFailure(`the arguments name more than ${MOST_CURRENCIES} currencies in one place`);
  const currencies = named.length > 0 ? named : place.currencies;
  for (const [key, its] of Object.entries(value)) {
    const found = largestIn(its, Array.isArray(value) ? place : placeOf(key, place.above, currencies), left);
    if (found !== null && (largest === null || found > largest)) largest = found;
  }
  return largest;
}

function placeOf(key: string, above: string, currencies: string[]): Place {
  const isMoney = isMoneyName(key);
  const isNone = !isMoney && above === "";
  if (isNone || (isMoney ? NO_SUM : NO_SUM_BELOW).has(wordsOf(key).at(-1) ?? ""))
    return { ...NOWHERE, currencies };
  const name = isMoney ? key : `${above}_${key}`;
  const unit = unitOf(name);
  return {
    ...{ name, above: isMoney ? key : above, currencies, unit },
    smallest: Math.min(unit(null), ...currencies.map(unit)),
  };
}

function amountAt(value: unknown, { name, unit, smallest }: Place): number | null {
  if (name === "" || (typeof value !== "number" && typeof value !== "string")) return null;
  const money = readMoney(value);
  // Whoever calls names the currencies: none of them makes less of the smallest unit than a hundredth.
  if (money) return Math.abs(money.value) / Math.min(smallest, unit(money.currency));
  // Digits of any script, and a number that is too large for one (`1e999`): who gets the call may read what we can't.
  if (typeof value === "number" || /\p{N}/u.test(value))
    throw new RuleFailure(`the amount of the argument ${name} has more than one reading, or none`);
  return null;
}
