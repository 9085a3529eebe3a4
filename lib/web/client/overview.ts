import { queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { Overview, Range } from "@/lib/requests/statistics/statistics-schema.ts";
import type { TaskCounts, TaskSummary } from "@/lib/tasks/task-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";

export function overview(range: Range) {
  return queryOptions({
    queryKey: ["overview", range] as const,
    queryFn: ({ signal }) => api.get<Overview>(`/api/v1/overview${query({ range })}`, signal),
    // The last range stays on screen until the next one has loaded.
    placeholderData: (shown) => shown,
  });
}

/** Length of the overview's lists. */
const FEW = 8;

export const STUCK = { attention: "stuck", order: "oldest", limit: FEW };
export const OLDEST = { state: "open", limit: FEW };

/** Stuck tasks, longest waiting first. */
export function stuckTasks() {
  return queryOptions({
    queryKey: [...taskKeys.lists, "stuck"] as const,
    queryFn: ({ signal }) => api.get<Page<TaskSummary>>(`/api/v1/tasks${query(STUCK)}`, signal),
  });
}

export function attentionCounts() {
  return queryOptions({
    queryKey: [...taskKeys.counts, "attention"] as const,
    queryFn: ({ signal }) => api.get<TaskCounts>("/api/v1/tasks/counts", signal),
  });
}

export function oldestRequests() {
  return queryOptions({
    queryKey: [...requestKeys.lists, "oldest"] as const,
    queryFn: ({ signal }) =>
      api.get<Page<InputRequestSummary>>(`/api/v1/input-requests${query(OLDEST)}`, signal),
  });
}
