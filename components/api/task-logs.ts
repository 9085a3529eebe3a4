import { queryOptions } from "@tanstack/react-query";
import { api, query } from "@/components/api/client.ts";
import { taskKeys } from "@/components/api/task-keys.ts";
import type { Page } from "@/lib/page.ts";
import type { TaskEvent } from "@/lib/tasks/schema.ts";

export function taskEvents(id: string) {
  return queryOptions({
    queryKey: [...taskKeys.task(id), "events"] as const,
    queryFn: ({ signal }) => readAll<TaskEvent>(`/api/v1/tasks/${id}/events`, signal),
  });
}

const MOST_PAGES = 10;

/** Oldest comes first, so the newest lines stand on the last page: read up to 2,000 of them. */
export async function readAll<T>(
  path: string,
  signal: AbortSignal,
): Promise<{ items: T[]; truncated: boolean }> {
  const items: T[] = [];
  let cursor: string | null = "";
  for (let page = 0; page < MOST_PAGES && cursor !== null; page++) {
    const read: Page<T> = await api.get<Page<T>>(`${path}${query({ limit: 200, cursor })}`, signal);
    items.push(...read.items);
    cursor = read.nextCursor;
  }
  return { items, truncated: cursor !== null };
}
