"use client";

import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "@/components/ui/toast/toast.ts";
import { api } from "@/lib/api-client/base/client.ts";
import type { CreateViewInput, SavedView, UpdateViewInput } from "@/lib/saved-views/schema.ts";

/** What can be done with the saved views of a page. `query`: as what is shown would be saved. */
export function useViewMutations({
  page,
  query,
  listKey,
  onCreated,
  onRemoved,
}: Pick<CreateViewInput, "page" | "query"> & {
  listKey: QueryKey;
  onCreated: (view: SavedView) => void;
  onRemoved: (id: string) => void;
}) {
  const client = useQueryClient();
  const settled = { onSettled: () => client.invalidateQueries({ queryKey: listKey }) };
  const create = useMutation({
    mutationFn: (view: Pick<CreateViewInput, "name" | "shared">) =>
      api.post<SavedView>("/api/v1/views", { page, query, ...view } satisfies CreateViewInput),
    onSuccess: (view) => {
      onCreated(view);
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
      onRemoved(id);
      toast("View deleted");
    },
    ...settled,
  });
  return { create, update, remove };
}

export type ViewMutations = ReturnType<typeof useViewMutations>;
