"use client";

import { useState } from "react";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";

export interface StableRow {
  request: InputRequestSummary;
  /** No longer in this list: answered or withdrawn meanwhile. It stays until it is safe to close the gap. */
  gone: boolean;
}

/**
 * Rows that never jump under the pointer. Lists are oldest first, so new rows come at the end; a row that left
 * stays, marked, while the pointer is over the list (`frozen`) or while it is the one being read (`keep`).
 */
export function useStableRows(
  fresh: InputRequestSummary[] | undefined,
  frozen: boolean,
  keep: string | null,
): StableRow[] {
  const [rows, setRows] = useState<StableRow[]>([]);
  const [seen, setSeen] = useState<{ fresh: unknown; frozen: boolean; keep: string | null } | null>(null);
  if (!fresh || (seen && seen.fresh === fresh && seen.frozen === frozen && seen.keep === keep)) return rows;
  const next = settle(rows, fresh, frozen, keep);
  setSeen({ fresh, frozen, keep });
  setRows(next);
  return next;
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
  if (frozen || added.length === 0) return [...kept, ...added];
  // Nothing is under the pointer: take the server's order, and leave the row being read where it stood.
  const ordered: StableRow[] = fresh.map((request) => ({ request, gone: false }));
  const left = kept.findIndex((row) => row.gone);
  if (left !== -1) ordered.splice(Math.min(left, ordered.length), 0, kept[left]!);
  return ordered;
}
