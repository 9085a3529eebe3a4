import { currencyInName, isInCents } from "../amount.ts";
import type { Formats } from "../formats/formats.ts";
import { humanise } from "../labels.ts";
import { isMoneyName, readMoney, wordsOf } from "../money.ts";
import { isDateText } from "../time.ts";
import type { Check } from "./amount-checks.ts";

export type Json = Record<string, unknown>;

/** One value, ready to be shown. */
export type Cell =
  | { kind: "text"; text: string }
  /** `sent`: the amount as sent, if shown differently. */
  | { kind: "number"; text: string; sent?: string; currency?: string; check?: Check }
  /**
   * `at`: the date as sent. `past`: how a date that has passed is warned of; a due date is overdue, the end of
   * something was so long ago.
   */
  | { kind: "date"; at: string; past?: "overdue" | "ago" }
  | { kind: "empty" };

const DUE = /\b(due|deadline|pay by|payable by)\b/i;
/** Names of what is no amount: `payment_id`, `cost_center`. */
const OF_MONEY =
  /\b(id|ids|no|nr|number|code|cent(?:er|re)|account|ref|reference|name|type|rate|year|date|day|days)$/i;
const END = /\b(expir\w*|until|by|before)\b/i;

/** Returns a single value as a cell, or null for a value that needs a block of its own. */
export function describeValue(
  name: string,
  value: unknown,
  formats: Formats,
  currency: string | null = null,
): Cell | null {
  if (value === null || value === undefined || value === "") return { kind: "empty" };
  if (typeof value === "boolean") return { kind: "text", text: value ? "Yes" : "No" };
  if (isMoneyName(name) && !OF_MONEY.test(wordsOf(name).join(" "))) {
    const cell = describeMoney(name, value, formats, currency);
    if (cell) return cell;
  }
  // Other numbers are shown as sent: build 4812 and the year 2026 are no amounts.
  if (typeof value === "number") return { kind: "number", text: String(value) };
  if (typeof value === "string") {
    if (!isDateText(value)) return { kind: "text", text: value };
    const words = humanise(name);
    const past = DUE.test(words) ? "overdue" : END.test(words) ? "ago" : null;
    return { kind: "date", at: value, ...(past && { past }) };
  }
  if (Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null)) {
    return value.length === 0 ? { kind: "empty" } : { kind: "text", text: listText(value) };
  }
  return isObject(value) && Object.keys(value).length === 0 ? { kind: "empty" } : null;
}

/** Items with a comma between them, or as JSON where one could be read as two, as none or as what is no text. */
function listText(items: unknown[]): string {
  const isPlain = (item: unknown) => typeof item !== "string" || !/^\s*$|,\s|^(null|true|false)$/.test(item);
  return items.every(isPlain) ? items.map(String).join(", ") : JSON.stringify(items);
}

/** `1234.5` and `1,234.50`, with a currency or without. */
const WRITTEN_PLAINLY = /^[^\d.,]*(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?[^\d.,]*$/;

function describeMoney(name: string, value: unknown, formats: Formats, currency: string | null): Cell | null {
  const money = readMoney(value);
  if (!money) return null;
  const sent = String(value);
  // Programs read a decimal comma, or a point between groups, in more ways than one: it is shown as sent.
  if (typeof value === "string" && !WRITTEN_PLAINLY.test(value)) return { kind: "number", text: sent.trim() };
  const known = money.currency ?? currencyInName(name) ?? currency;
  // An amount in cents is shown in cents, exactly as sent.
  const text = (isInCents(name) ? formats.number : formats.money)(money.value);
  return {
    kind: "number",
    text,
    ...(sent === text ? {} : { sent }),
    ...(known && !isInCents(name) ? { currency: known } : {}),
  };
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
