import { queryOptions } from "@tanstack/react-query";
import { api } from "@/lib/api-client/base/client.ts";
import type { Page } from "@/lib/base/page.ts";
import type { SavedView } from "@/lib/saved-views/schema.ts";

export const taskViewsKey = ["views", "tasks"] as const;

/** One's own views of the tasks and those shared with everyone. */
export function taskViews() {
  return queryOptions({
    queryKey: taskViewsKey,
    queryFn: ({ signal }) => api.get<Page<SavedView>>("/api/v1/views?page=tasks", signal),
  });
}
