"use client";

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type PointerEvent, type UIEvent, useMemo, useState } from "react";
import { type Selection as RowSelection, useSelection } from "@/components/list/use-selection.ts";
import { type RequestTab, requestList } from "@/lib/api-client/requests.ts";
import type { InboxFilters } from "@/lib/format/requests/inbox-filters.ts";
import type { InputRequestSummary } from "@/lib/input-requests/schema.ts";

/** The rows of a list as they stand on the screen, and what holds them still. */
export function useRequestRows(tab: RequestTab, filters: InboxFilters, shown: string | null) {
  const list = useInfiniteQuery({ ...requestList(tab, filters), placeholderData: keepPreviousData });
  const [hovered, setHovered] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const settled = list.isPlaceholderData ? undefined : list.data;
  const fresh = useMemo(() => settled?.pages.flatMap((page) => page.items), [settled]);
  const name = JSON.stringify([tab, filters]);
  // Where new rows come at the end, being further down is no reason to hold them back.
  const appends = tab !== "done" && (filters.order === "" || filters.order === "oldest");
  return {
    list,
    /** Says which list the rows are of. */
    name,
    rows: useStableRows(name, fresh, hovered || (scrolled && !appends), shown),
    appends,
    loading: fresh === undefined,
    /** For the element that scrolls. */
    hold: {
      onScroll: (event: UIEvent) => setScrolled(event.currentTarget.scrollTop > 0),
      onPointerEnter: (event: PointerEvent) => setHovered(event.pointerType === "mouse"),
      onPointerLeave: () => setHovered(false),
    },
  };
}

/** The requests that are selected to be dealt with together: open ones of the list. */
export interface Selection extends RowSelection {
  selected: InputRequestSummary[];
}

/** `list` names what is listed. */
export function useRequestSelection(list: string, rows: StableRow[]): Selection {
  const open = rows.filter((row) => !row.gone && row.request.state === "open").map((row) => row.request);
  const selection = useSelection(
    list,
    open.map((request) => request.id),
  );
  return { ...selection, selected: open.filter((request) => selection.has(request.id)) };
}

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
function useStableRows(
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
