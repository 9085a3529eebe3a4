/** The ids from one row to another, both included, in the order of the list; only `to` when `from` is not in it. */
export function rangeOf(ids: string[], from: string | null, to: string): string[] {
  const end = ids.indexOf(to);
  if (end === -1) return [];
  const start = from === null ? -1 : ids.indexOf(from);
  if (start === -1) return [to];
  return ids.slice(Math.min(start, end), Math.max(start, end) + 1);
}
