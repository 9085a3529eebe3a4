import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { GoOn } from "../answer/decision-store.ts";

export interface StableRow {
  request: InputRequestSummary;
  /**
   * The request was answered or withdrawn and left this list. The row stays until closing the gap is safe.
   */
  gone: boolean;
  /** This browser's own decision is on its way to the server, or was not recorded. */
  decision?: "recording" | "refused";
}

/** Returns the rows with what became of this browser's own decisions. */
export function withDecisions(
  rows: StableRow[],
  recording: Readonly<Record<string, unknown>>,
  refused: Readonly<Record<string, unknown>>,
): StableRow[] {
  if (Object.keys(recording).length + Object.keys(refused).length === 0) return rows;
  return rows.map((row) => {
    const { id } = row.request;
    return recording[id]
      ? { ...row, decision: "recording" }
      : refused[id]
        ? { ...row, decision: "refused" }
        : row;
  });
}

/** Whether a row can be decided on now. */
export function waits({ request, gone, decision }: StableRow): boolean {
  return !gone && request.state === "open" && decision !== "recording";
}

/**
 * Returns the rows after a change of the list. A row that left stays, marked, while the list is `frozen` or
 * while the row is being read (`keep`). A new row is appended while the list is frozen.
 */
export function settle(
  rows: StableRow[],
  fresh: InputRequestSummary[],
  frozen: boolean,
  keep: string | null,
): StableRow[] {
  const byId = new Map(fresh.map((request) => [request.id, request]));
  const kept = rows.flatMap(({ request }): StableRow[] => {
    const now = byId.get(request.id);
    if (now) return [{ request: now, gone: false }];
    return frozen || request.id === keep ? [{ request, gone: true }] : [];
  });
  const shown = new Set(kept.map((row) => row.request.id));
  const added = fresh
    .filter((request) => !shown.has(request.id))
    .map((request) => ({ request, gone: false }));
  if (frozen) return [...kept, ...added];
  // Not frozen: uses the server's order, and keeps the row being read where it was.
  const ordered: StableRow[] = fresh.map((request) => ({ request, gone: false }));
  const left = kept.findIndex((row) => row.gone);
  if (left !== -1) ordered.splice(Math.min(left, ordered.length), 0, kept[left]!);
  return ordered;
}

/**
 * Returns the open request to read after this one: the one below, else the one above, else null. What the reader has voted on waits for
 * others.
 */
export function rowAfter(rows: StableRow[], id: string): StableRow | null {
  const at = rows.findIndex((row) => row.request.id === id);
  const isOther = (row: StableRow) =>
    waits(row) && row.request.id !== id && row.request.approval?.why !== "already_voted";
  const below = rows.slice(at + 1).find(isOther);
  return below ?? rows.slice(0, Math.max(0, at)).findLast(isOther) ?? null;
}

/** Returns the ids of the next open requests below this one, as many as are read ahead. */
export function readAhead(rows: StableRow[], id: string | null): string[] {
  const at = rows.findIndex((row) => row.request.id === id);
  if (at === -1) return [];
  return rows
    .slice(at + 1)
    .filter(waits)
    .slice(0, AHEAD)
    .map((row) => row.request.id);
}

const AHEAD = 2;

/**
 * Returns what opens after a request was decided or skipped, and the words that say so. Null: the person has
 * opened another request, is typing, or looks back at what is done, and is left alone. Nothing is said to be over
 * while the last decision is being recorded.
 */
export function successorOf(
  rows: StableRow[],
  after: { id: string; why: Exclude<GoOn, "refused"> },
  person: { shown: string | null; typing: boolean; looksBack: boolean },
  words: { empty: string; titleOf: (request: InputRequestSummary) => string },
): { id: string | null; words: string } | null {
  if (person.looksBack || person.typing || person.shown !== after.id) return null;
  const next = rowAfter(rows, after.id)?.request;
  if (next) return { id: next.id, words: `Next: ${words.titleOf(next)}` };
  if (after.why === "recording") return null;
  return { id: null, words: after.why === "skip" ? "No more requests in this list" : words.empty };
}

type Known = Pick<InputRequestSummary, "id" | "createdAt">;

/**
 * Returns the ids of requests that are new since the list was opened. `loaded`: the rows on the screen.
 * `latest`: the latest few of the whole list, which may be at its unloaded end. `paging`: more rows of the list were
 * loaded, and none of them is new.
 */
export function newsIn(
  before: { ids: ReadonlySet<string> | null; latestAt: string },
  { loaded, latest, paging }: { loaded: Known[]; latest: Known[]; paging: boolean },
): string[] {
  const isKnown = (id: string) => before.ids?.has(id) ?? false;
  const added = before.ids === null || paging ? [] : loaded;
  // An earlier request enters the latest few when a later one leaves, and is not new.
  const later = before.latestAt ? latest.filter((each) => each.createdAt > before.latestAt) : [];
  return [...new Set([...added, ...later].map(({ id }) => id))].filter((id) => !isKnown(id));
}
