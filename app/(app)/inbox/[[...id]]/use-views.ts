"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, errorSentence } from "@/components/api/client.ts";
import { REQUEST_TABS, type RequestTab } from "@/components/api/requests.ts";
import { inboxViews, viewKeys } from "@/components/api/views.ts";
import { useMe } from "@/components/shell/me.tsx";
import { toast } from "@/components/ui/toast.ts";
import { readFilters, sameQuery, viewQuery } from "@/lib/format/inbox-filters.ts";
import type { CreateViewInput, SavedView, UpdateViewInput } from "@/lib/saved-views/schema.ts";
import type { InboxPlace } from "./use-inbox-place.ts";

/** The saved views, and which of them is on. */
export function useViews(place: InboxPlace, tab: RequestTab | null) {
  const me = useMe();
  const client = useQueryClient();
  const { data } = useQuery(inboxViews());
  const views = data?.items ?? [];
  const current = views.find((view) => view.id === place.view) ?? null;
  const query = viewQuery(tab ?? "all", place.filters);
  const settled = {
    onSettled: () => client.invalidateQueries({ queryKey: viewKeys.inbox }),
  };

  const create = useMutation({
    mutationFn: (view: Pick<CreateViewInput, "name" | "shared">) =>
      api.post<SavedView>("/api/v1/views", { page: "inbox", query, ...view } satisfies CreateViewInput),
    onSuccess: (view) => {
      place.replace({ view: view.id, tab });
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
      if (place.view === id) place.replace({ view: null });
      toast("View deleted");
    },
    ...settled,
  });

  return {
    views,
    current,
    /** The address names a view that is not there, or not for this person. */
    missing: place.view !== null && data !== undefined && current === null,
    changed: current !== null && !sameQuery(current.query, query),
    mayChange: current !== null && (current.mine || (current.shared && me.may("admin"))),
    mayShare: me.may("operator"),
    open: (view: SavedView) =>
      place.go({
        id: null,
        view: view.id,
        tab: REQUEST_TABS.find((each) => each === view.query.tab) ?? null,
        filters: readFilters((name) => view.query[name]),
      }),
    saveChanges: () => {
      if (current) update.mutate({ id: current.id, query }, failed);
    },
    share: (shared: boolean) => {
      if (current) update.mutate({ id: current.id, shared }, failed);
    },
    create,
    update,
    remove,
  };
}

export type Views = ReturnType<typeof useViews>;

/** For what is done by a press in a menu: there is no place to say it in. */
const failed = { onError: (error: Error) => void toast.error(errorSentence(error)) };
