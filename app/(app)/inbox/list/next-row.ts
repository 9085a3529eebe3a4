import type { StableRow } from "./use-stable-rows.ts";

/** The open request to read after this one was decided: the one below, else the one above, else none. */
export function rowAfter(rows: StableRow[], id: string): StableRow | null {
  const at = rows.findIndex((row) => row.request.id === id);
  const waits = (row: StableRow) => !row.gone && row.request.state === "open" && row.request.id !== id;
  const below = rows.slice(at + 1).find(waits);
  return below ?? rows.slice(0, Math.max(0, at)).findLast(waits) ?? null;
}

/** The row that J (1) or K (-1) leads to; from outside the list, its first. */
export function rowBeside(rows: StableRow[], id: string | null, by: 1 | -1): StableRow | null {
  const at = rows.findIndex((row) => row.request.id === id);
  return rows[at === -1 ? 0 : at + by] ?? null;
}
