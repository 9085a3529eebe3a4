import { queryOptions } from "@tanstack/react-query";
import { api } from "@/components/api/client.ts";
import { taskKeys } from "@/components/api/task-keys.ts";
import type { Page } from "@/lib/page.ts";
import type { TaskEvent } from "@/lib/tasks/schema.ts";

/** The newest lines of a task's history, newest first, as many as the column beside a request shows. */
export function taskEvents(id: string) {
  return queryOptions({
    queryKey: [...taskKeys.task(id), "events"] as const,
    queryFn: ({ signal }) =>
      api.get<Page<TaskEvent>>(`/api/v1/tasks/${id}/events?order=newest&limit=200`, signal),
  });
}
