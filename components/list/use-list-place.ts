"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useMemo } from "react";

/** Changes of the address, by the names of its parameters; empty or null takes one away. */
type Changes = Record<string, string | null | undefined>;

/**
 * What of a list someone looks at, all of it in the address. `read`: the filters in it; `address`: where a change of
 * a place leads, from a path and its parameters. Both stay the same functions.
 */
export function useListPlace<Filters, To>(
  read: (get: (name: string) => string | null) => Filters,
  address: (pathname: string, params: { toString(): string }, to: To) => string,
) {
  const pathname = usePathname();
  const params = useSearchParams();
  const filters = useMemo(() => read((name) => params.get(name)), [read, params]);
  // From where the browser is now: a search that is sent a moment after typing must not undo a click before it.
  const fromHere = (to: To) =>
    address(window.location.pathname, new URLSearchParams(window.location.search), to);
  // The history alone is changed: Next keeps usePathname and useSearchParams in step without asking the server.
  return {
    pathname,
    params,
    filters,
    /** The id of the saved view that is on. */
    view: params.get("view"),
    address: (to: To) => address(pathname, params, to),
    go: (to: To) => window.history.pushState(null, "", fromHere(to)),
    replace: (to: To) => window.history.replaceState(null, "", fromHere(to)),
  };
}

/** `?a=b` with the changes made, or nothing. What is undefined stays as it is. */
export function changedQuery(params: { toString(): string }, changes: Changes): string {
  const next = new URLSearchParams(params.toString());
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else if (value !== undefined) next.delete(name);
  }
  return next.size > 0 ? `?${next}` : "";
}
