/** Warnings about the figures of a call, for the list and for the page of a request. Pure. */
import { amountOf } from "../amount.ts";
import { plural } from "../labels.ts";
import { formatDate, formatPast } from "../time.ts";
import { type Check, checkMessage } from "./amount-checks.ts";
import type { Cell, Json } from "./cells.ts";
import { describeFacts } from "./facts.ts";

export type FigureWarning = "sum_differs" | "currency_differs" | "overdue";

/** A due date that passed longer ago is worth a warning: a mistyped year, or a bill of long ago. */
const LONG_OVERDUE_MS = 90 * 86_400_000;

export interface Figures {
  /** The marks beside figures that contradict each other or the message. */
  differences: { kind: Exclude<FigureWarning, "overdue">; words: string }[];
  /** The due dates as sent, earliest first. */
  dueDates: string[];
}

/** Judges the same figures that `describeFacts()` marks on the page, and the amount that lists show. */
export function judgeFigures(values: Json, message: string): Figures {
  const cells = describeFacts(values, message).flatMap((block): Cell[] => {
    if (block.kind === "json") return [];
    if (block.kind === "fields") return block.fields.map((field) => field.cell);
    const sum: Cell[] = block.sum?.check ? [{ kind: "number", text: "", check: block.sum.check }] : [];
    return [...block.rows.flat(), ...sum];
  });
  const amount = amountOf(values, message);
  const marks = cells.flatMap((cell) => (cell.kind === "number" && cell.check ? [cell.check] : []));
  // Lists show this amount, which the page's marks may not cover.
  const unmarked = amount && marks.length === 0 && checkMessage(amount.value, amount.currency, message);
  return {
    differences: distinct([...marks, ...(unmarked ? [unmarked] : [])].filter((check) => !check.ok)),
    dueDates: cells
      .flatMap((cell) => (cell.kind === "date" && cell.past === "overdue" ? [cell.at] : []))
      .sort((a, b) => Date.parse(a) - Date.parse(b)),
  };
}

function distinct(checks: Check[]): Figures["differences"] {
  const byWords = new Map(checks.map((check) => [check.words, check]));
  return [...byWords.values()].map(({ words, currencyOnly }) => ({
    kind: currencyOnly ? "currency_differs" : "sum_differs",
    words,
  }));
}

export function isLongOverdue(dueAt: string | Date, now: number): boolean {
  return now - new Date(dueAt).getTime() > LONG_OVERDUE_MS;
}

/** Says what is wrong with the figures, a sentence each: `Total says 1,000.00`. */
export function figureWords({ differences, dueDates }: Figures, now: number): string[] {
  const late = dueDates.filter((at) => isLongOverdue(at, now));
  const [first] = late;
  const words = differences.map((difference) => difference.words);
  if (!first) return words;
  const since = `${formatDate(first)}, ${formatPast(first, now, "overdue")}`;
  return [
    ...words,
    late.length === 1 ? `Due ${since}` : `${plural(late.length, "due date")} passed, the first ${since}`,
  ];
}
