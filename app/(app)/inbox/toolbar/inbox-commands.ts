"use client";

import type { SavedViews } from "@/components/list/saved-views.ts";
import { usePaletteCommands } from "@/components/shell/palette/palette-commands.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { isNarrowed, ORDER_WORDS } from "@/lib/requests/words/filter-words.ts";
import { ordersOf, withoutFilters } from "@/lib/requests/words/inbox-filters.ts";
import { REQUEST_TABS, type RequestTab, TAB_NAMES } from "@/lib/web/client/requests.ts";
import { orderOf } from "./order-items.tsx";
import type { InboxPlace } from "./use-inbox-place.ts";

const GROUP = "Inbox";

/** Offers the list's actions in the palette. */
export function InboxCommands({
  place,
  tab,
  views,
  onFilter,
  onSaveView,
  onSelecting,
}: {
  place: InboxPlace;
  tab: RequestTab;
  views: SavedViews;
  onFilter: () => void;
  onSaveView: () => void;
  onSelecting: () => void;
}) {
  const me = useMe();
  usePaletteCommands([
    ...REQUEST_TABS.filter((each) => each !== tab).map((each) => ({
      id: `inbox-tab-${each}`,
      label: `Show ${TAB_NAMES[each]}`,
      group: GROUP,
      run: () => place.go({ tab: each }),
    })),
    { id: "inbox-filter", label: "Filter requests…", group: GROUP, run: onFilter },
    ...(isNarrowed(place.filters)
      ? [
          {
            id: "inbox-clear",
            label: "Clear search and filters",
            group: GROUP,
            run: () => place.go({ filters: withoutFilters(place.filters) }),
          },
        ]
      : []),
    ...ordersOf(tab)
      .filter((order) => order !== orderOf(place, tab))
      .map((order) => ({
        id: `inbox-order-${order}`,
        label: `Order: ${ORDER_WORDS[order].toLowerCase()}`,
        group: GROUP,
        run: () => place.go({ filters: { order } }),
      })),
    ...views.views.map((view) => ({
      id: `inbox-view-${view.id}`,
      label: `Open the view “${view.name}”`,
      group: GROUP,
      run: () => views.open(view),
    })),
    { id: "inbox-save-view", label: "Save this view…", group: GROUP, run: onSaveView },
    ...(me.may("requests:answer") && tab !== "done"
      ? [{ id: "inbox-select", label: "Select requests", group: GROUP, keys: "X", run: onSelecting }]
      : []),
  ]);
  return null;
}
