"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, errorSentence } from "@/components/api/client.ts";
import { viewKeys } from "@/components/api/views.ts";
import { toast } from "@/components/ui/toast.ts";
import type { CreateViewInput, SavedView, UpdateViewInput } from "@/lib/saved-views/schema.ts";
import { useInboxPlace } from "./use-inbox-place.ts";
import type { Views } from "./use-views.ts";

/** What can be done with a view that is on, or with what is shown. */
export function useViewActions({ current, query, tab }: Views) {
  const place = useInboxPlace();
  const client = useQueryClient();
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

  const change = (input: UpdateViewInput) => {
    if (!current) return;
    // By its promise: the menu in which it was pressed is gone by then, and so is any other place to say it in.
    update
      .mutateAsync({ id: current.id, ...input })
      .catch((error: unknown) => void toast.error(errorSentence(error)));
  };
  return {
    create,
    update,
    remove,
    saveChanges: () => change({ query }),
    share: (shared: boolean) => change({ shared }),
  };
}
