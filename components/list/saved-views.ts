"use client";

import { useQuery } from "@tanstack/react-query";
import { savedViews } from "@/lib/api-client/views.ts";
import type { SavedView } from "@/lib/saved-views/schema.ts";

export type ViewDialog = "save" | "rename" | "delete";

export interface SavedViews {
  page: SavedView["page"];
  views: SavedView[];
  /** What is shown, as it would be saved. */
  query: Record<string, string>;
  /** The view that is on. */
  current: SavedView | null;
  /** The address names a view that is not there, or not for this person. */
  missing: boolean;
  open: (view: SavedView) => void;
  /** Names a view in the address, or none; what is shown stays. */
  name: (id: string | null) => void;
}

/** The saved views of a page, and which of them is on. `id`: the one that the address names. */
export function useSavedViews({
  page,
  id,
  query,
  open,
  name,
}: Pick<SavedViews, "page" | "query" | "open" | "name"> & { id: string | null }): SavedViews {
  const { data } = useQuery(savedViews(page));
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
