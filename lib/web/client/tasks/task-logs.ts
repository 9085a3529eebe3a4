import { queryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { TaskEvent } from "@/lib/history/events/event-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { taskKeys } from "@/lib/web/client/tasks/task-keys.ts";

/** The newest lines of a task's history, newest first, as many as the column beside a request shows. */
export function taskEvents(id: string) {
  return queryOptions({
    queryKey: [...taskKeys.task(id), "events"] as const,
    queryFn: ({ signal }) =>
      api.get<Page<TaskEvent>>(`/api/v1/tasks/${id}/events?order=newest&limit=200`, signal),
  });
}
