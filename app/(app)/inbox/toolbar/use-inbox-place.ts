"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { REQUEST_TABS, type RequestTab } from "@/lib/api-client/requests.ts";
import { FILTER_NAMES, type InboxFilters, readFilters } from "@/lib/format/requests/inbox-filters.ts";

/** Where in the inbox someone is, all of it in the address: the request, the tab, the filters, the saved view. */
export function useInboxPlace() {
  const pathname = usePathname();
  const params = useSearchParams();
  const filters = useMemo(() => readFilters((name) => params.get(name)), [params]);

  // The history alone is changed: Next keeps usePathname and useSearchParams in step without asking the server.
  return {
    selected: idIn(pathname),
    tab: REQUEST_TABS.find((each) => each === params.get("tab")) ?? null,
    filters,
    view: params.get("view"),
    address: (to: Place) => move(pathname, params, to),
    go: (to: Place) => window.history.pushState(null, "", fromHere(to)),
    replace: (to: Place) => window.history.replaceState(null, "", fromHere(to)),
  };
}

export type InboxPlace = ReturnType<typeof useInboxPlace>;

interface Place {
  id?: string | null;
  /** Null: whichever the inbox opens with. */
  tab?: RequestTab | null;
  filters?: Partial<InboxFilters>;
  view?: string | null;
}

/** From where the browser is now: a search that is sent a moment after typing must not undo a click before it. */
function fromHere(to: Place): string {
  return move(window.location.pathname, new URLSearchParams(window.location.search), to);
}

function move(pathname: string, params: { toString(): string }, to: Place): string {
  const next = new URLSearchParams(params.toString());
  const set = (name: string, value: string | null | undefined) => {
    if (value) next.set(name, value);
    else if (value !== undefined) next.delete(name);
  };
  set("tab", to.tab);
  for (const name of FILTER_NAMES) set(name, to.filters?.[name]);
  set("view", to.view);
  const id = to.id === undefined ? idIn(pathname) : to.id;
  return `/inbox${id ? `/${id}` : ""}${next.size > 0 ? `?${next}` : ""}`;
}

function idIn(pathname: string): string | null {
  return pathname.split("/")[2] ?? null;
}

/** The request in the address right now: two keys may be pressed before the screen has followed the first. */
export function idInAddress(): string | null {
  return idIn(window.location.pathname);
}
