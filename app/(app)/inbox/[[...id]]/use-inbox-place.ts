"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { REQUEST_TABS, type RequestTab } from "@/components/api/requests.ts";

/** Where in the inbox someone is, all of it in the address: the request, the tab, the search. */
export function useInboxPlace() {
  const pathname = usePathname();
  const params = useSearchParams();
  const selected = idIn(pathname);
  const tab = REQUEST_TABS.find((each) => each === params.get("tab")) ?? null;
  const q = params.get("q") ?? "";

  // The history alone is changed: Next keeps usePathname and useSearchParams in step without asking the server.
  return {
    selected,
    tab,
    q,
    address: (to: Place) => move(pathname, params, to),
    go: (to: Place) => window.history.pushState(null, "", fromHere(to)),
    replace: (to: Place) => window.history.replaceState(null, "", fromHere(to)),
  };
}

interface Place {
  id?: string | null;
  tab?: RequestTab;
  q?: string;
}

/** From where the browser is now: a search that is sent a moment after typing must not undo a click before it. */
function fromHere(to: Place): string {
  return move(window.location.pathname, new URLSearchParams(window.location.search), to);
}

function move(pathname: string, params: { toString(): string }, to: Place): string {
  const next = new URLSearchParams(params.toString());
  if (to.tab) next.set("tab", to.tab);
  if (to.q !== undefined) to.q ? next.set("q", to.q) : next.delete("q");
  const id = to.id === undefined ? idIn(pathname) : to.id;
  return `/inbox${id ? `/${id}` : ""}${next.size > 0 ? `?${next}` : ""}`;
}

function idIn(pathname: string): string | null {
  return pathname.split("/")[2] ?? null;
}

/** Whether list and request stand side by side. */
export function isWide(): boolean {
  return window.matchMedia("(min-width: 768px)").matches;
}
