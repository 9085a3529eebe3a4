import { queryOptions } from "@tanstack/react-query";
import type { Race } from "@/lib/lifecycle/races/race-schema.ts";
import type { TaskSummary } from "@/lib/tasks/task-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { taskKeys } from "@/lib/web/client/tasks/task-keys.ts";

/** The tasks of a race. Refetched with every list, since a change of any task may concern one of them. */
export function race(id: string) {
  return queryOptions({
    queryKey: [...taskKeys.lists, "race", id] as const,
    queryFn: ({ signal }) => api.get<Race>(`/api/v1/races/${id}`, signal),
  });
}

export function attempts(taskId: string) {
  return queryOptions({
    queryKey: [...taskKeys.lists, "attempts", taskId] as const,
    queryFn: ({ signal }) => api.get<{ items: TaskSummary[] }>(`/api/v1/tasks/${taskId}/attempts`, signal),
  });
}
