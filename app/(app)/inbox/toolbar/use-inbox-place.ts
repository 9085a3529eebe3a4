"use client";

import { changedQuery, useListPlace } from "@/components/list/use-list-place.ts";
import { type InboxFilters, readFilters } from "@/lib/requests/words/inbox-filters.ts";
import { REQUEST_TABS, type RequestTab } from "@/lib/web/client/requests.ts";

/** The state of the inbox kept in the URL: the request, the tab, the filters, the saved view. */
export function useInboxPlace() {
  const { pathname, params, ...place } = useListPlace(readFilters, addressOf);
  return {
    ...place,
    selected: idIn(pathname),
    tab: REQUEST_TABS.find((each) => each === params.get("tab")) ?? null,
  };
}

export type InboxPlace = ReturnType<typeof useInboxPlace>;

interface To {
  id?: string | null;
  /** Null for the default tab. */
  tab?: RequestTab | null;
  filters?: Partial<InboxFilters>;
  view?: string | null;
}

function addressOf(pathname: string, params: { toString(): string }, { id, tab, filters, view }: To): string {
  const shown = id === undefined ? idIn(pathname) : id;
  return `/inbox${shown ? `/${shown}` : ""}${changedQuery(params, { tab, ...filters, view })}`;
}

function idIn(pathname: string): string | null {
  return pathname.split("/")[2] ?? null;
}

/** Returns the request in the browser's current URL: two keys may be pressed before the next render. */
export function idInAddress(): string | null {
  return idIn(window.location.pathname);
}

/** Opens a request, from any page. */
export function goToRequest(inputRequestId: string, push: (href: string) => void) {
  const { pathname, search } = window.location;
  const address = `/inbox/${inputRequestId}`;
  if (pathname === address) return;
  // Within the inbox a history change is enough, and keeps the filters.
  if (pathname.startsWith("/inbox")) window.history.pushState(null, "", `${address}${search}`);
  else push(address);
}
