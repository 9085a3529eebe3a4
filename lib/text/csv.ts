/** Comma-separated values as in RFC 4180. */
import { visibleText } from "./foreign/hidden.ts";

/**
 * Returns one line. Cells are untrusted text that people read: hidden characters are marked, and whatever a spreadsheet
 * would take for a formula gets an apostrophe in front: also behind semicolons, tabs and line breaks, where some take a cell to begin, quoted or not.
 */
export function csvLine(cells: (string | number | boolean | null)[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

function cellOf(cell: string | number | boolean | null): string {
  const text = cell === null ? "" : String(cell);
  const safe = typeof cell === "string" ? withoutFormulas(visibleText(text)) : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Characters that begin a formula, also as wide as an ideograph. */
const FORMULA = /[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]/;

function withoutFormulas(text: string): string {
  return text.replace(/^[;\s]*|[;\s]+/g, (gap, at: number) => {
    if (!FORMULA.test(text.charAt(at + gap.length))) return gap;
    if (at === 0) return `'${gap}`;
    return /[;\t\r\n]/.test(gap) ? `${gap}'` : gap;
  });
}
