"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import type {
  CreateViewInput,
  SavedView,
  UpdateViewInput,
} from "@/lib/requests/saved-views/saved-view-schema.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { savedViews } from "@/lib/web/client/requests.ts";
import type { SavedViews } from "./saved-views.ts";

/** Actions for the current saved view, or for the current filters. */
export function useViewActions({ page, query, current, name }: SavedViews) {
  const me = useMe();
  const client = useQueryClient();
  const settled = { onSettled: () => client.invalidateQueries({ queryKey: savedViews(page).queryKey }) };
  const create = useMutation({
    mutationFn: (view: Pick<CreateViewInput, "name" | "shared">) =>
      api.post<SavedView>("/api/v1/views", { page, query, ...view } satisfies CreateViewInput),
    onSuccess: (view) => {
      name(view.id);
      toast(`Saved “${view.name}”`);
    },
    ...settled,
  });
  const update = useMutation({
    mutationFn: ({ id, ...change }: UpdateViewInput & { id: string }) =>
      api.patch<SavedView>(`/api/v1/views/${id}`, change),
    onSuccess: (view, { shared }) =>
      void toast(
        shared === undefined
          ? `Saved “${view.name}”`
          : shared
            ? `Everyone can use “${view.name}” now`
            : `“${view.name}” is no longer shared`,
      ),
    ...settled,
  });
  const remove = useMutation({
    mutationFn: (id: string) => api.delete(`/api/v1/views/${id}`),
    onSuccess: (_, id) => {
      // Another view may have been opened meanwhile.
      if (new URLSearchParams(window.location.search).get("view") === id) name(null);
      toast("View deleted");
    },
    ...settled,
  });
  const change = (input: UpdateViewInput) => {
    if (!current) return;
    // Errors come from the promise: the menu that was pressed has unmounted, and only a toast can show them.
    update
      .mutateAsync({ id: current.id, ...input })
      .catch((error: unknown) => void toast.error(errorSentence(error)));
  };
  return {
    /** Whether the current filters differ from the saved ones. */
    changed: current !== null && !sameQuery(current.query, query),
    mayChange: current !== null && (current.mine || (current.shared && me.may("views:manage"))),
    mayShare: me.may("views:share"),
    create,
    update,
    remove,
    saveChanges: () => change({ query }),
    share: (shared: boolean) => change({ shared }),
  };
}

/** Whether two views have the same filters; an empty filter equals a missing one. */
export function sameQuery(a: Record<string, string>, b: Record<string, string>): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every(
    (name) => (a[name] ?? "") === (b[name] ?? ""),
  );
}
