import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, query } from "@/components/api/client.ts";
import { type TaskFilter, taskKeys } from "@/components/api/task-keys.ts";
import type { Page } from "@/lib/page.ts";
import type { TaskDetail, TaskState, TaskSummary } from "@/lib/tasks/schema.ts";

export function taskList(filter: TaskFilter) {
  return infiniteQueryOptions({
    queryKey: taskKeys.list(filter),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<TaskSummary>>(`/api/v1/tasks${query({ ...filter, cursor: pageParam })}`, signal),
    getNextPageParam: (page) => page.nextCursor,
  });
}

export function taskCounts() {
  return queryOptions({
    queryKey: taskKeys.counts,
    queryFn: ({ signal }) =>
      api.get<{ counts: Partial<Record<TaskState, number>> }>("/api/v1/tasks/counts", signal),
  });
}

export function taskDetail(id: string) {
  return queryOptions({
    queryKey: taskKeys.task(id),
    queryFn: ({ signal }) => api.get<TaskDetail>(`/api/v1/tasks/${id}`, signal),
  });
}
