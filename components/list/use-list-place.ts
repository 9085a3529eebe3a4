"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useMemo } from "react";

/** Changes of the query string by parameter name; an empty string or null removes the parameter. */
type Changes = Record<string, string | null | undefined>;

/**
 * The filters, the view and the path of a list, all kept in the URL. `read` parses the filters; `address`
 * returns the URL of a change, given a path and its parameters. Both must be stable functions.
 */
export function useListPlace<Filters, To>(
  read: (get: (name: string) => string | null) => Filters,
  address: (pathname: string, params: { toString(): string }, to: To) => string,
) {
  const pathname = usePathname();
  const params = useSearchParams();
  const filters = useMemo(() => read((name) => params.get(name)), [read, params]);
  // Starts from the browser's current URL: a debounced search must not undo a click made in the meantime.
  const fromHere = (to: To) =>
    address(window.location.pathname, new URLSearchParams(window.location.search), to);
  // Changes the history only: Next keeps usePathname and useSearchParams in step without a request.
  return {
    pathname,
    params,
    filters,
    /** The id of the open saved view. */
    view: params.get("view"),
    address: (to: To) => address(pathname, params, to),
    go: (to: To) => window.history.pushState(null, "", fromHere(to)),
    replace: (to: To) => window.history.replaceState(null, "", fromHere(to)),
  };
}

/** Returns `?a=b` with the changes applied, or an empty string. Undefined leaves a parameter unchanged. */
export function changedQuery(params: { toString(): string }, changes: Changes): string {
  const next = new URLSearchParams(params.toString());
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else if (value !== undefined) next.delete(name);
  }
  return next.size > 0 ? `?${next}` : "";
}
