"use client";

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { type PointerEvent, type UIEvent, useMemo, useState } from "react";
import { type RequestTab, requestList } from "@/lib/api-client/requests.ts";
import type { InboxFilters } from "@/lib/format/requests/inbox-filters.ts";
import { useStableRows } from "./use-stable-rows.ts";

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
