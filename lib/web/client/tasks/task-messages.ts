import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { TaskMessage } from "@/lib/tasks/task-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { taskKeys } from "@/lib/web/client/tasks/task-keys.ts";

/** As in `GET /tasks/{id}/messages`; an empty value does not filter. */
export interface MessageFilter {
  direction: string;
  method: string;
  q: string;
}

/** A page is small because one message may have 64 kB. */
const A_PAGE = 40;

/**
 * A task's messages, newest first, and the methods of all its messages. The last result stays until the next
 * one has loaded.
 */
export function taskMessages(id: string, filter: MessageFilter) {
  return infiniteQueryOptions({
    queryKey: [...taskKeys.task(id), "messages", filter] as const,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<TaskMessage> & { methods: string[] }>(
        `/api/v1/tasks/${id}/messages${query({ order: "newest", limit: A_PAGE, ...filter, cursor: pageParam })}`,
        signal,
      ),
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  });
}
