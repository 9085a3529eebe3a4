/** Finds the largest amount of money in the arguments of a call, for rules. Pure. */

import { currenciesOf, inUnits } from "../../text/amount.ts";
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
  return largestIn(args, { name: "", above: "", currencies: [] }, { amounts: MOST_AMOUNTS });
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
}

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
    const found = largestIn(
      its,
      Array.isArray(value) ? place : { ...placeOf(key, place.above), currencies },
      left,
    );
    if (found !== null && (largest === null || found > largest)) largest = found;
  }
  return largest;
}

function placeOf(key: string, above: string): Pick<Place, "name" | "above"> {
  const isMoney = isMoneyName(key);
  if (!isMoney && above === "") return { name: "", above: "" };
  if ((isMoney ? NO_SUM : NO_SUM_BELOW).has(wordsOf(key).at(-1) ?? "")) return { name: "", above: "" };
  return isMoney ? { name: key, above: key } : { name: `${above}_${key}`, above };
}

function amountAt(value: unknown, { name, currencies }: Place): number | null {
  if (name === "" || (typeof value !== "number" && typeof value !== "string")) return null;
  const money = readMoney(value);
  // Whoever calls names the currencies: none of them makes less of the smallest unit than a hundredth.
  if (money) {
    const all = [null, ...(money.currency === null ? [] : [money.currency]), ...currencies];
    return Math.max(...all.map((each) => inUnits(name, Math.abs(money.value), each)));
  }
  // Digits of any script, and a number that is too large for one (`1e999`): who gets the call may read what we can't.
  if (typeof value === "number" || /\p{N}/u.test(value))
    throw new RuleFailure(`the amount of the argument ${name} has more than one reading, or none`);
  return null;
}
