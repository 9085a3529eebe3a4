import type { Formats } from "../../text/formats/formats.ts";
import { plural } from "../../text/labels.ts";
import type { PartySummary } from "../similar/similar-schema.ts";

/** What one pays them. */
const PAID = new Set(["payment", "refund", "transfer"]);
/** What one receives from these; everybody else one does something for. */
const GIVERS = new Set(["supplier", "vendor", "merchant", "contractor"]);
const NOUNS = ["invoice", "payment", "expense", "order", "refund", "quote", "bill", "transfer", "contract"];

/** `12 invoices from ACME`; `recent` where only the latest were counted. */
export function partyCount(tool: string, { name, kind, count, mayBeMore }: PartySummary): string {
  const noun = NOUNS.find((each) => new RegExp(`(^|[^a-z])${each}s?([^a-z]|$)`, "i").test(tool)) ?? "request";
  const counted = plural(count, mayBeMore ? `recent ${noun}` : noun);
  return `${counted} ${PAID.has(noun) ? "to" : GIVERS.has(kind) ? "from" : "for"} ${name}`;
}

/** `usually $800.00–$1,200.00`, `usually 800.00–1,200.00 EUR`, or null. */
export function partyRange({ usual }: PartySummary, formats: Formats): string | null {
  if (!usual) return null;
  const [from, to] = [formats.amount(usual.from), formats.amount(usual.to)];
  if (from === to) return `always ${from}`;
  const { value, currency } = usual.from;
  return `usually ${currency === "$" ? from : formats.money(value)}–${to}`;
}

/** `3 times the usual`, or null. */
export function partyTimes({ times }: PartySummary): string | null {
  return times === null ? null : `${times} times the usual`;
}
