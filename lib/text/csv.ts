/** Lines of comma-separated values, as RFC 4180 has them. */

/**
 * One line. A cell that a spreadsheet would take for a formula gets an apostrophe in front: its text came from a server,
 * or from whoever called it.
 */
export function csvLine(cells: (string | number | boolean | null)[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

function cellOf(cell: string | number | boolean | null): string {
  const text = cell === null ? "" : String(cell);
  const safe = typeof cell === "string" && /^\s*[=+\-@|%]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
