"use client";

import { type SavedViews, useSavedViews } from "@/components/list/saved-views.ts";
import { NO_TASK_FILTERS, readTaskFilters, setTaskFilters } from "@/lib/tasks/words/task-filters.ts";
import type { TaskPlace } from "./use-task-place.ts";

/** The saved views of the tasks. */
export function useViews(place: TaskPlace): SavedViews {
  return useSavedViews({
    page: "tasks",
    id: place.view,
    query: setTaskFilters(place.filters) as Record<string, string>,
    open: (view) =>
      place.go({
        view: view.id,
        filters: { ...NO_TASK_FILTERS, ...readTaskFilters((name) => view.query[name]) },
      }),
    name: (id) => place.replace({ view: id }),
  });
}
