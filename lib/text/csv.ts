/** Comma-separated values as in RFC 4180. */

/**
 * Returns one line. Cells are untrusted text, so a cell that a spreadsheet would take for a formula gets an
 * apostrophe in front.
 */
export function csvLine(cells: (string | number | boolean | null)[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

function cellOf(cell: string | number | boolean | null): string {
  const text = cell === null ? "" : String(cell);
  const safe = typeof cell === "string" && /^\s*[=+\-@|%]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
