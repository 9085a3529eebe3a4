"use client";

import { type SavedViews, useSavedViews } from "@/components/list/saved-views.ts";
import { readFilters, viewQuery } from "@/lib/requests/words/inbox-filters.ts";
import { REQUEST_TABS, type RequestTab } from "@/lib/web/client/requests.ts";
import type { InboxPlace } from "../toolbar/use-inbox-place.ts";

/** The saved views of the inbox. */
export function useViews(place: InboxPlace, tab: RequestTab): SavedViews {
  return useSavedViews({
    page: "inbox",
    id: place.view,
    query: viewQuery(tab, place.filters),
    open: (view) =>
      place.go({
        id: null,
        view: view.id,
        tab: REQUEST_TABS.find((each) => each === view.query.tab) ?? null,
        filters: readFilters((name) => view.query[name]),
      }),
    // Adds the current tab, which the URL may lack.
    name: (id) => place.replace(id === null ? { view: null } : { view: id, tab }),
  });
}
