"use client";

import { useState } from "react";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";

export interface StableRow {
  request: InputRequestSummary;
  /** No longer in this list: answered or withdrawn meanwhile. It stays until it is safe to close the gap. */
  gone: boolean;
}

/**
 * Rows that never jump under the pointer. A row that left stays, marked, while the list is `frozen` or while it is
 * the one being read (`keep`); a new one comes at the end as long as the list is frozen. `list` names what is
 * listed: another list starts anew.
 */
export function useStableRows(
  list: string,
  fresh: InputRequestSummary[] | undefined,
  frozen: boolean,
  keep: string | null,
): StableRow[] {
  const [shown, setShown] = useState<Shown>({ list, fresh: undefined, frozen, keep, rows: [] });
  const same = shown.list === list && shown.fresh === fresh && shown.frozen === frozen && shown.keep === keep;
  if (!fresh || same) return shown.rows;
  const rows = settle(shown.list === list ? shown.rows : [], fresh, frozen, keep);
  setShown({ list, fresh, frozen, keep, rows });
  return rows;
}

interface Shown {
  list: string;
  fresh: InputRequestSummary[] | undefined;
  frozen: boolean;
  keep: string | null;
  rows: StableRow[];
}

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
  // Nothing is under the pointer: take the server's order, and leave the row being read where it stood.
  const ordered: StableRow[] = fresh.map((request) => ({ request, gone: false }));
  const left = kept.findIndex((row) => row.gone);
  if (left !== -1) ordered.splice(Math.min(left, ordered.length), 0, kept[left]!);
  return ordered;
}
