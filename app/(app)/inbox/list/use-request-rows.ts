"use client";

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type PointerEvent, type UIEvent, useEffect, useMemo, useState } from "react";
import { type Selection as RowSelection, useSelection } from "@/components/list/use-selection.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { InboxFilters } from "@/lib/requests/words/inbox-filters.ts";
import { groupRequests } from "@/lib/requests/words/inbox-rows.ts";
import { type RequestTab, requestList } from "@/lib/web/client/requests.ts";
import { useRecording, useRefused } from "../answer/decision-store.ts";
import { type StableRow, settle, waits, withDecisions } from "./row-changes.ts";

/** Groups are made of this many loaded rows, so that few move when later pages are loaded. */
const GROUPED = 1_000;

/** The rows of a list as shown on the screen, and the handlers that freeze them. */
export function useRequestRows(tab: RequestTab, filters: InboxFilters, shown: string | null) {
  const list = useInfiniteQuery({ ...requestList(tab, filters), placeholderData: keepPreviousData });
  const [hovered, setHovered] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const settled = list.isPlaceholderData ? undefined : list.data;
  const fresh = useMemo(() => {
    const all = settled?.pages.flatMap((page) => page.items);
    return all && groupRequests(all, filters.group, Date.now());
  }, [settled, filters.group]);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list;
  const gathers = filters.group !== "" && fresh !== undefined && fresh.length < GROUPED;
  useEffect(() => {
    if (gathers && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [gathers, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  const name = JSON.stringify([tab, filters]);
  // New rows appended at the end move nothing, so scrolling need not freeze the list.
  // A search of what is urgent lists by age.
  const isByAge = filters.order === "oldest" || (filters.q !== "" && ["", "urgent"].includes(filters.order));
  const appends = tab !== "done" && filters.group === "" && isByAge;
  const rows = useStableRows(name, fresh, hovered || (scrolled && !appends), shown);
  const recording = useRecording();
  const refused = useRefused();
  return {
    list,
    /** The key of the list that the rows belong to. */
    name,
    rows: useMemo(() => withDecisions(rows, recording, refused), [rows, recording, refused]),
    loading: fresh === undefined,
    /** Handlers of the scrolling element. */
    hold: {
      onScroll: (event: UIEvent) => setScrolled(event.currentTarget.scrollTop > 0),
      onPointerEnter: (event: PointerEvent) => setHovered(event.pointerType === "mouse"),
      onPointerLeave: () => setHovered(false),
    },
  };
}

/** The open requests selected for a bulk action. */
export interface Selection extends RowSelection {
  selected: InputRequestSummary[];
}

/** `list`: the key of the list. */
export function useRequestSelection(list: string, rows: StableRow[]): Selection {
  const open = rows.filter(waits).map((row) => row.request);
  const selection = useSelection(
    list,
    open.map((request) => request.id),
  );
  return { ...selection, selected: open.filter((request) => selection.has(request.id)) };
}

/** Rows that never jump under the pointer, see `settle()`. `list`: the key of the list; another key starts over. */
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
