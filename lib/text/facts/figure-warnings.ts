/** Warnings about the figures of a call, for the list and for the page of a request. Pure. */

import { type Amount, amountOf, currencyOf, hasNamedAmount, isWide, readLargestShown } from "../amount.ts";
import type { Formats } from "../formats/formats.ts";
import { plural } from "../labels.ts";
import { formatPast, momentOf } from "../time.ts";
import { amountsIn, type Check, checkMessage } from "./amount-checks.ts";
import type { Cell, Json } from "./cells.ts";
import { describeFirst } from "./facts.ts";

export type FigureWarning = "sum_differs" | "currency_differs" | "overdue";

/** A due date that passed longer ago is worth a warning: a mistyped year, or a bill of long ago. */
const LONG_OVERDUE_MS = 90 * 86_400_000;

export interface Figures {
  /** Figures that contradict each other or the message. */
  differences: { kind: Exclude<FigureWarning, "overdue">; words: string }[];
  /** The due dates as sent, earliest first. */
  dueDates: string[];
}

/** Judges the same figures that `describeFacts()` marks on the page, and the amount that lists show. */
export function judgeFigures(values: Json, message: string, formats: Formats): Figures {
  const marks: { of: string; check: Check }[] = [];
  const dueDates: string[] = [];
  const look = (label: string, cell: Cell) => {
    if (cell.kind === "number" && cell.check)
      marks.push({ of: [label, cell.text, cell.currency].filter(Boolean).join(" "), check: cell.check });
    if (cell.kind === "date" && cell.past === "overdue") dueDates.push(cell.at);
  };
  for (const block of describeFirst(values, formats, message).blocks) {
    if (block.kind === "fields") for (const { label, cell } of block.fields) look(label, cell);
    if (block.kind !== "table") continue;
    for (const row of block.rows)
      row.forEach((cell, at) => {
        look(block.columns[at]?.label ?? "", cell);
      });
    const { sum } = block;
    if (sum?.check)
      marks.push({
        of: `${sum.label} ${formats.money(sum.inCents ? sum.value / 100 : sum.value)}`,
        check: sum.check,
      });
  }
  const amount = amountOf(values, message);
  // Lists show this amount, which the page's marks may not cover.
  const compared = amount ?? onlyAmount(values, message);
  const check = compared && marks.length === 0 && checkMessage(compared, amountsIn(message), formats);
  if (check) marks.push({ of: `Amount ${formats.amount(compared)}`, check });
  return {
    differences: marks.filter((mark) => !mark.check.ok).map(toDifference),
    dueDates: dueDates.sort((a, b) => momentOf(a) - momentOf(b)),
  };
}

/** The largest of a few amounts, where no field is called a total: `{payment: 9000}`. */
function onlyAmount(values: Json, message: string): Amount | null {
  if (isWide(values) || Object.values(values).some((value) => typeof value === "object")) return null;
  const read = readLargestShown(values);
  if ("unclear" in read || !read.largest || hasNamedAmount(values, message)) return null;
  return { value: read.largest, currency: currencyOf(values) };
}

function toDifference({ of, check: { words, currencyOnly } }: { of: string; check: Check }) {
  return {
    kind: currencyOnly ? ("currency_differs" as const) : ("sum_differs" as const),
    words: `${of}: ${words.charAt(0).toLowerCase()}${words.slice(1)}`,
  };
}

export function isLongOverdue(dueAt: string | Date, now: number): boolean {
  return now - (typeof dueAt === "string" ? momentOf(dueAt) : dueAt.getTime()) > LONG_OVERDUE_MS;
}

/** Says what is wrong with the figures, a line each: `Sum of 2 lines 300.50: total says 310.00`. */
export function figureWords({ differences, dueDates }: Figures, formats: Formats, now: number): string[] {
  const late = dueDates.filter((at) => isLongOverdue(at, now));
  const [first] = late;
  const words = differences.map((difference) => difference.words);
  if (!first) return words;
  const since = `${formats.date(first)}, ${formatPast(first, now, "overdue")}`;
  return [
    ...words,
    late.length === 1 ? `Due ${since}` : `${plural(late.length, "due date")} passed, the first ${since}`,
  ];
}
