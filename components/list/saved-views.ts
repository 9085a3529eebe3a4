"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
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
  /** What is shown is no longer what the view keeps. */
  changed: boolean;
  mayChange: boolean;
  mayShare: boolean;
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
  const me = useMe();
  const { data } = useQuery(savedViews(page));
  const views = data?.items ?? [];
  const current = views.find((view) => view.id === id) ?? null;
  return {
    page,
    views,
    query,
    current,
    missing: id !== null && data !== undefined && current === null,
    changed: current !== null && !sameQuery(current.query, query),
    mayChange: current !== null && (current.mine || (current.shared && me.may("views:manage"))),
    mayShare: me.may("views:share"),
    open,
    name,
  };
}

/** Whether two views keep the same; what is empty narrows nothing. */
export function sameQuery(a: Record<string, string>, b: Record<string, string>): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every(
    (name) => (a[name] ?? "") === (b[name] ?? ""),
  );
}
