import { queryOptions } from "@tanstack/react-query";
import { taskKeys } from "@/components/api/task-keys.ts";
import { readAll } from "@/components/api/task-logs.ts";
import type { TaskMessage } from "@/lib/tasks/schema.ts";

export function taskMessages(id: string) {
  return queryOptions({
    queryKey: [...taskKeys.task(id), "messages"] as const,
    queryFn: ({ signal }) => readAll<TaskMessage>(`/api/v1/tasks/${id}/messages`, signal),
  });
}
