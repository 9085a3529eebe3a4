"use client";

import { useMemo } from "react";
import { changedQuery, useListPlace } from "@/components/list/use-list-place.ts";
import { useNow } from "@/components/time/use-now.ts";
import {
  readTaskFilters,
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
