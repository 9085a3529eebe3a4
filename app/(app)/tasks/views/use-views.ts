"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe } from "@/components/shell/session/me.tsx";
import { useViewMutations } from "@/components/views/use-view-mutations.ts";
import { taskViews, taskViewsKey } from "@/lib/api-client/tasks/task-views.ts";
import { NO_TASK_FILTERS, readTaskFilters, setTaskFilters } from "@/lib/format/tasks/task-filters.ts";
import type { SavedView } from "@/lib/saved-views/schema.ts";
import type { TaskPlace } from "../toolbar/use-task-place.ts";

/** The saved views of the tasks, which of them is on, and what can be done with it. */
export function useViews(place: TaskPlace) {
  const me = useMe();
  const { data } = useQuery(taskViews());
  const views = data?.items ?? [];
  const current = views.find((view) => view.id === place.view) ?? null;
  /** As what is shown would be saved. */
  const query = setTaskFilters(place.filters) as Record<string, string>;
  const mutations = useViewMutations({
    page: "tasks",
    query,
    listKey: taskViewsKey,
    onCreated: (view) => place.replace({ view: view.id }),
    onRemoved: () => place.replace({ view: null }),
  });
  const saved = current && JSON.stringify(Object.entries(current.query).sort());
  return {
    views,
    current,
    query,
    ...mutations,
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
