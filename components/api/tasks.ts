import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, query } from "@/components/api/client.ts";
import type { Page } from "@/lib/page.ts";
import type { TaskDetail, TaskEvent, TaskMessage, TaskState, TaskSummary } from "@/lib/tasks/schema.ts";

export interface TaskFilter {
  state: string;
  q: string;
}

export const taskKeys = {
  lists: ["tasks", "list"] as const,
  list: (filter: TaskFilter) => ["tasks", "list", filter] as const,
  counts: ["tasks", "counts"] as const,
  /** Everything about one task lies under this key. */
  task: (id: string) => ["tasks", "task", id] as const,
};

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

export function taskEvents(id: string) {
  return queryOptions({
    queryKey: [...taskKeys.task(id), "events"] as const,
    queryFn: ({ signal }) => readAll<TaskEvent>(`/api/v1/tasks/${id}/events`, signal),
  });
}

export function taskMessages(id: string) {
  return queryOptions({
    queryKey: [...taskKeys.task(id), "messages"] as const,
    queryFn: ({ signal }) => readAll<TaskMessage>(`/api/v1/tasks/${id}/messages`, signal),
  });
}

const MOST_PAGES = 10;

/** Oldest comes first, so the newest lines stand on the last page: read up to 2,000 of them. */
async function readAll<T>(path: string, signal: AbortSignal): Promise<{ items: T[]; truncated: boolean }> {
  const items: T[] = [];
  let cursor: string | null = "";
  for (let page = 0; page < MOST_PAGES && cursor !== null; page++) {
    const read: Page<T> = await api.get<Page<T>>(`${path}${query({ limit: 200, cursor })}`, signal);
    items.push(...read.items);
    cursor = read.nextCursor;
  }
  return { items, truncated: cursor !== null };
}
