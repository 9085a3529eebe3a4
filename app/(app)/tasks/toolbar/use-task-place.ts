"use client";

import { useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { useNow } from "@/components/time/use-now.ts";
import {
  readTaskFilters,
  startOfDay,
  TASK_FILTER_NAMES,
  type TaskFilters,
  taskApiFilters,
} from "@/lib/format/tasks/task-filters.ts";

interface Place {
  filters?: Partial<TaskFilters>;
  view?: string | null;
}

/** What of the tasks someone looks at, all of it in the address: the filters and the saved view. */
export function useTaskPlace() {
  const params = useSearchParams();
  const filters = useMemo(() => readTaskFilters((name) => params.get(name)), [params]);
  const today = startOfDay(useNow(60_000));
  // Counted from when they were set: a list must not become another one every minute.
  const query = useMemo(() => taskApiFilters(filters, Math.max(today, Date.now())), [filters, today]);
  return {
    filters,
    /** As the API takes it; null: nothing can match. */
    query,
    /** Where the person's day began, as an instant. */
    today: new Date(today).toISOString(),
    view: params.get("view"),
    go: (to: Place) => window.history.pushState(null, "", address(to)),
    replace: (to: Place) => window.history.replaceState(null, "", address(to)),
  };
}

export type TaskPlace = ReturnType<typeof useTaskPlace>;

/** From where the browser is now: a search that is sent a moment after typing must not undo a click before it. */
function address({ filters, view }: Place): string {
  const next = new URLSearchParams(window.location.search);
  const set = (name: string, value: string | null | undefined) => {
    if (value) next.set(name, value);
    else if (value !== undefined) next.delete(name);
  };
  for (const name of TASK_FILTER_NAMES) set(name, filters?.[name]);
  set("view", view);
  return `/tasks${next.size > 0 ? `?${next}` : ""}`;
}
