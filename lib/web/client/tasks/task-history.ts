import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { TaskEvent } from "@/lib/history/events/event-schema.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { TaskEventQuery, TaskPhase } from "@/lib/tasks/task-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";
import { taskKeys } from "@/lib/web/client/tasks/task-keys.ts";

const A_PAGE = 100;

/** All of a task's history, page by page. */
export function taskHistory(id: string, order: TaskEventQuery["order"]) {
  return infiniteQueryOptions({
    queryKey: [...taskKeys.task(id), "history", order] as const,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<TaskEvent>>(
        `/api/v1/tasks/${id}/events${query({ order, limit: A_PAGE, cursor: pageParam })}`,
        signal,
      ),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  });
}

export function taskPhases(id: string) {
  return queryOptions({
    queryKey: [...taskKeys.task(id), "phases"] as const,
    queryFn: ({ signal }) => api.get<{ phases: TaskPhase[] }>(`/api/v1/tasks/${id}/phases`, signal),
  });
}

/** All questions of a task, newest first, with their decisions and deliveries. */
export function taskRequests(taskId: string) {
  return infiniteQueryOptions({
    queryKey: [...requestKeys.ofTask(taskId), "newest first"] as const,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<InputRequestSummary>>(
        `/api/v1/input-requests${query({ taskId, order: "newest", cursor: pageParam })}`,
        signal,
      ),
    getNextPageParam: (page) => page.nextCursor,
  });
}
