/** Whether a call is like the one that was approved for a while. Pure. */
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { currencyOfAmount, isInCents, readLargest } from "../../text/amount.ts";
import type { Formats } from "../../text/formats/formats.ts";
import { CURRENCIES, findMoney, isMoneyName, readMoney, wordsOf } from "../../text/money.ts";

type Json = Record<string, unknown>;

export interface Bounds {
  /** Arguments that may differ. */
  except: string[];
  mostAmount: number | null;
}

/**
 * In doubt, the call is not like the approved one. With a largest amount, an argument may differ only from one amount of a unit to
 * another, or from one text without amounts to another.
 */
export function isLikeApproved(approved: Json, call: Json, { except, mostAmount }: Bounds): boolean {
  if (canonicalJson(without(approved, except)) !== canonicalJson(without(call, except))) return false;
  if (mostAmount === null) return true;
  return (
    isWithin(call, mostAmount) &&
    except.every((name) => mayBecome(name, own(approved, name), own(call, name), mostAmount))
  );
}

/** Whether a call has an amount, and none above `mostAmount`. */
export function isWithin(call: Json, mostAmount: number): boolean {
  const read = readLargest(call);
  return !("unclear" in read) && read.largest !== null && Math.abs(read.largest) <= mostAmount;
}

function mayBecome(name: string, before: unknown, after: unknown, mostAmount: number): boolean {
  if (canonicalJson([before ?? null]) === canonicalJson([after ?? null]) && typeof before === typeof after)
    return true;
  const kind = differsAs(name, before);
  if (kind === null || kind !== differsAs(name, after)) return false;
  if (kind === "text") return true;
  const [was, is] = [amountOf(before), amountOf(after)];
  const most = isInCents(name) ? mostAmount * 100 : mostAmount;
  return was?.unit === is?.unit && Math.abs(is?.value ?? Number.NaN) <= most;
}

/** What an argument of the approved call may become where there is a largest amount; null: it has to stay the same. */
export function differsAs(name: string, value: unknown): "amount" | "text" | null {
  if (isUnitName(name)) return null;
  if (isMoneyName(name)) return amountOf(value) ? "amount" : null;
  // Of `quantity: 5` or `pay: "5"` nobody can say what it does to the amount.
  return !amountOf(value) && isFreeText(value) ? "text" : null;
}

/** What an argument that may differ may be, up to the amount that a person typed; empty: any. An argument in cents has its bound in cents. */
export function differenceWords(
  name: string,
  args: Record<string, unknown>,
  most: string,
  { number }: Pick<Formats, "number">,
): string {
  if (most === "") return "anything";
  const kind = differsAs(name, args[name]);
  if (kind === null) return "can’t differ with a largest amount";
  if (kind === "text") return "another text, without an amount";
  const bound = `up to ${number(Number(most) * (isInCents(name) ? 100 : 1))}`;
  return isInCents(name)
    ? `${bound} (${number(Number(most))} ${currencyOfAmount(args, "") ?? "in whole units"})`
    : bound;
}

const PLAIN = /^(\D*?)(-?(?:0|[1-9]\d{0,12})(?:\.\d{1,8})?)(\D*)$/;

/** A number, or a text of one plain decimal, as `5.00` and `5 EUR`. `unit`: what stands around it, and what kind of value it is. */
function amountOf(value: unknown): { value: number; unit: string } | null {
  if (typeof value === "number") return { value, unit: "number" };
  if (typeof value !== "string") return null;
  const [, before = "", , after = ""] = PLAIN.exec(value) ?? [];
  const money = readMoney(value);
  return money && PLAIN.test(value) ? { value: money.value, unit: JSON.stringify([before, after]) } : null;
}

const UNITS = new Set(
  "currency ccy unit units asset symbol token coin denomination scale decimals exponent precision multiplier factor".split(
    " ",
  ),
);

/** Whether a name says what the amounts beside it are counted in. */
const isUnitName = (name: string) =>
  /currency|ccy|unit/i.test(name) || wordsOf(name).some((word) => UNITS.has(word));

/** A text that is neither an amount nor what one is counted in. */
function isFreeText(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const text = value.trim();
  const isUnit = /^[A-Z]{2,5}$|^\p{Sc}$/u.test(text) || CURRENCIES.has(text.toUpperCase());
  return text !== "" && !isUnit && findMoney(text).length === 0;
}

const own = (args: Json, name: string): unknown => (Object.hasOwn(args, name) ? args[name] : undefined);

function without(args: Json, names: string[]): Json {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}
