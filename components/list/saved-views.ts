"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import type { SavedView } from "@/lib/requests/saved-views/saved-view-schema.ts";
import { savedViews } from "@/lib/web/client/requests.ts";

export type ViewDialog = "save" | "rename" | "delete";

export interface SavedViews {
  page: SavedView["page"];
  views: SavedView[];
  /** The current filters, as a view would save them. */
  query: Record<string, string>;
  /** The view that is open. */
  current: SavedView | null;
  /** The URL names a view that does not exist or that this person may not see. */
  missing: boolean;
  open: (view: SavedView) => void;
  /** Sets or removes the view id in the URL; the filters stay. */
  name: (id: string | null) => void;
}

/** The saved views of a page and the open one. `id`: the view id in the URL. */
export function useSavedViews({
  page,
  id,
  query,
  open,
  name,
}: Pick<SavedViews, "page" | "query" | "open" | "name"> & { id: string | null }): SavedViews {
  // A member's own views are not looked at as that member.
  const { data } = useQuery({ ...savedViews(page), enabled: !useMe().view });
  const views = data?.items ?? [];
  const current = views.find((view) => view.id === id) ?? null;
  return {
    page,
    views,
    query,
    current,
    missing: id !== null && data !== undefined && current === null,
    open,
    name,
  };
}
