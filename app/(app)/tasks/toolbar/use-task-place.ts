"use client";

import { useMemo } from "react";
import { type SavedViews, useSavedViews } from "@/components/list/saved-views.ts";
import { changedQuery, useListPlace } from "@/components/list/use-list-place.ts";
import { useNow } from "@/components/time/use-now.ts";
import {
  NO_TASK_FILTERS,
  readTaskFilters,
  setTaskFilters,
  startOfDay,
  type TaskFilters,
  taskApiFilters,
} from "@/lib/tasks/words/task-filters.ts";

/** The state of the task list kept in the URL: the filters and the saved view. */
export function useTaskPlace() {
  const { filters, view, go, replace } = useListPlace(readTaskFilters, addressOf);
  const today = startOfDay(useNow(60_000));
  // Relative times count from when the filter was set: otherwise the list would change every minute.
  const query = useMemo(() => taskApiFilters(filters, Math.max(today, Date.now())), [filters, today]);
  return {
    filters,
    /** The filter in the API's format; null if nothing can match. */
    query,
    /** When the person's day began, as an instant. */
    today: new Date(today).toISOString(),
    view,
    go,
    replace,
  };
}

export type TaskPlace = ReturnType<typeof useTaskPlace>;

interface To {
  filters?: Partial<TaskFilters>;
  view?: string | null;
}

function addressOf(_: string, params: { toString(): string }, { filters, view }: To): string {
  return `/tasks${changedQuery(params, { ...filters, view })}`;
}

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
