"use client";

import { useMemo } from "react";
import { changedQuery, useListPlace } from "@/components/list/use-list-place.ts";
import { useNow } from "@/components/time/use-now.ts";
import {
  readTaskFilters,
  startOfDay,
  type TaskFilters,
  taskApiFilters,
} from "@/lib/format/tasks/task-filters.ts";

/** What of the tasks someone looks at, all of it in the address: the filters and the saved view. */
export function useTaskPlace() {
  const { filters, view, go, replace } = useListPlace(readTaskFilters, addressOf);
  const today = startOfDay(useNow(60_000));
  // Counted from when they were set: a list must not become another one every minute.
  const query = useMemo(() => taskApiFilters(filters, Math.max(today, Date.now())), [filters, today]);
  return {
    filters,
    /** As the API takes it; null: nothing can match. */
    query,
    /** Where the person's day began, as an instant. */
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
