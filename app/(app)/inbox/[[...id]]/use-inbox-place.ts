"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { REQUEST_TABS, type RequestTab } from "@/components/api/requests.ts";

/** Where in the inbox someone is, all of it in the address: the request, the tab, the search. */
export function useInboxPlace() {
  const selected = usePathname().split("/")[2] ?? null;
  const params = useSearchParams();
  const tab = REQUEST_TABS.find((each) => each === params.get("tab")) ?? null;
  const q = params.get("q") ?? "";

  const address = (to: { id?: string | null; tab?: RequestTab; q?: string }) => {
    const next = new URLSearchParams(params);
    if (to.tab) next.set("tab", to.tab);
    if (to.q !== undefined) to.q ? next.set("q", to.q) : next.delete("q");
    const id = to.id === undefined ? selected : to.id;
    return `/inbox${id ? `/${id}` : ""}${next.size > 0 ? `?${next}` : ""}`;
  };
  // The history alone is changed: Next keeps usePathname and useSearchParams in step without asking the server.
  return {
    selected,
    tab,
    q,
    address,
    go: (to: Parameters<typeof address>[0]) => window.history.pushState(null, "", address(to)),
    replace: (to: Parameters<typeof address>[0]) => window.history.replaceState(null, "", address(to)),
  };
}

/** Whether list and request stand side by side. */
export function isWide(): boolean {
  return window.matchMedia("(min-width: 768px)").matches;
}
