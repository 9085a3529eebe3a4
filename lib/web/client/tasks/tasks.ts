import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { SearchedPage } from "@/lib/base/page.ts";
import type { FailureGroups, TaskCounts, TaskDetail, TaskSummary } from "@/lib/tasks/task-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { type TaskQuery, taskKeys } from "@/lib/web/client/tasks/task-keys.ts";

export const TASKS_A_PAGE = 100;

/** Null: a filter that no task can match. */
export function taskList(filter: TaskQuery | null) {
  return infiniteQueryOptions({
    queryKey: taskKeys.list(filter),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }): Promise<SearchedPage<TaskSummary>> =>
      filter === null
        ? Promise.resolve({ items: [], nextCursor: null })
        : api.get(`/api/v1/tasks${query({ ...filter, limit: TASKS_A_PAGE, cursor: pageParam })}`, signal),
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** `endedAfter`: counts ended tasks from this instant on. */
export function taskCounts(endedAfter: string) {
  return queryOptions({
    queryKey: [...taskKeys.counts, endedAfter] as const,
    queryFn: ({ signal }) => api.get<TaskCounts>(`/api/v1/tasks/counts${query({ endedAfter })}`, signal),
  });
}

/** The number of tasks in a list, whatever is loaded; above `MOST_TOTAL`, one more than that. */
export function taskTotal(filter: TaskQuery | null) {
  const { order: _, ...rest } = filter ?? {};
  return queryOptions({
    queryKey: [...taskKeys.lists, "total", rest] as const,
    queryFn: ({ signal }) => api.get<{ total: number }>(`/api/v1/tasks/total${query(rest)}`, signal),
  });
}

export const MOST_TOTAL = 10_000;

/** Failures by cause, among the tasks of a list. Refetched with every list. */
export function failureGroups(filter: TaskQuery) {
  const { order: _, attention: __, ...rest } = filter;
  return queryOptions({
    queryKey: [...taskKeys.lists, "failures", rest] as const,
    queryFn: ({ signal }) => api.get<FailureGroups>(`/api/v1/tasks/failures${query(rest)}`, signal),
    placeholderData: keepPreviousData,
  });
}

export function taskDetail(id: string) {
  return queryOptions({
    queryKey: taskKeys.task(id),
    queryFn: ({ signal }) => api.get<TaskDetail>(`/api/v1/tasks/${id}`, signal),
  });
}
