import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { Read } from "@/lib/tasks/access-log/access-log-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { taskKeys } from "@/lib/web/client/tasks/task-keys.ts";

/** Who looked at a task, newest first. */
export function taskReads(id: string) {
  return reads([...taskKeys.task(id), "access"], `/api/v1/tasks/${id}/access`);
}

/** Who looked at what is the signed-in person's, newest first. */
export function ownReads() {
  return reads(["me", "access"], "/api/v1/me/access");
}

function reads(queryKey: readonly string[], path: string) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<Read>>(`${path}${query({ limit: A_PAGE, cursor: pageParam })}`, signal),
    getNextPageParam: (page) => page.nextCursor,
  });
}

const A_PAGE = 20;
