"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/components/api/client.ts";
import { taskViews, taskViewsKey } from "@/components/api/task-views.ts";
import { useMe } from "@/components/shell/me.tsx";
import { toast } from "@/components/ui/toast.ts";
import { NO_TASK_FILTERS, readTaskFilters, setTaskFilters } from "@/lib/format/task-filters.ts";
import type { CreateViewInput, SavedView, UpdateViewInput } from "@/lib/saved-views/schema.ts";
import type { TaskPlace } from "./use-task-place.ts";

export type ViewDialog = "save" | "rename" | "delete";

/** The saved views of the tasks, which of them is on, and what can be done with it. */
export function useViews(place: TaskPlace) {
  const me = useMe();
  const client = useQueryClient();
  const { data } = useQuery(taskViews());
  const views = data?.items ?? [];
  const current = views.find((view) => view.id === place.view) ?? null;
  /** As what is shown would be saved. */
  const query = setTaskFilters(place.filters) as Record<string, string>;
  const settled = { onSettled: () => client.invalidateQueries({ queryKey: taskViewsKey }) };
  const create = useMutation({
    mutationFn: (view: Pick<CreateViewInput, "name" | "shared">) =>
      api.post<SavedView>("/api/v1/views", { page: "tasks", query, ...view } satisfies CreateViewInput),
    onSuccess: (view) => {
      place.replace({ view: view.id });
      toast(`Saved “${view.name}”`);
    },
    ...settled,
  });
  const update = useMutation({
    mutationFn: ({ id, ...change }: UpdateViewInput & { id: string }) =>
      api.patch<SavedView>(`/api/v1/views/${id}`, change),
    onSuccess: (view) => void toast(`Saved “${view.name}”`),
    ...settled,
  });
  const remove = useMutation({
    mutationFn: (id: string) => api.delete(`/api/v1/views/${id}`),
    onSuccess: () => {
      place.replace({ view: null });
      toast("View deleted");
    },
    ...settled,
  });
  const saved = current && JSON.stringify(Object.entries(current.query).sort());
  return {
    views,
    current,
    query,
    create,
    update,
    remove,
    /** What is shown is no longer what the view keeps. */
    changed: saved !== null && saved !== JSON.stringify(Object.entries(query).sort()),
    mayChange: current !== null && (current.mine || (current.shared && me.may("views:manage"))),
    mayShare: me.may("views:share"),
    open: (view: SavedView) =>
      place.go({
        view: view.id,
        filters: { ...NO_TASK_FILTERS, ...readTaskFilters((name) => view.query[name]) },
      }),
  };
}

export type Views = ReturnType<typeof useViews>;
