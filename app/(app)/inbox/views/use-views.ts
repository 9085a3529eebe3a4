"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { REQUEST_TABS, type RequestTab } from "@/lib/api-client/requests.ts";
import { inboxViews } from "@/lib/api-client/views.ts";
import { readFilters, sameQuery, viewQuery } from "@/lib/format/requests/inbox-filters.ts";
import type { SavedView } from "@/lib/saved-views/schema.ts";
import type { InboxPlace } from "../toolbar/use-inbox-place.ts";

/** The saved views, and which of them is on. */
export function useViews(place: InboxPlace, tab: RequestTab | null) {
  const me = useMe();
  const { data } = useQuery(inboxViews());
  const views = data?.items ?? [];
  const current = views.find((view) => view.id === place.view) ?? null;
  const query = viewQuery(tab ?? "all", place.filters);
  return {
    views,
    tab,
    /** As what is shown would be saved. */
    query,
    current,
    /** The address names a view that is not there, or not for this person. */
    missing: place.view !== null && data !== undefined && current === null,
    changed: current !== null && !sameQuery(current.query, query),
    mayChange: current !== null && (current.mine || (current.shared && me.may("views:manage"))),
    mayShare: me.may("views:share"),
    open: (view: SavedView) =>
      place.go({
        id: null,
        view: view.id,
        tab: REQUEST_TABS.find((each) => each === view.query.tab) ?? null,
        filters: readFilters((name) => view.query[name]),
      }),
  };
}

export type Views = ReturnType<typeof useViews>;
