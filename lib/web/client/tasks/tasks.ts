import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import type { Page, SearchedPage } from "@/lib/base/page.ts";
import type { BulkItem, BulkOperation } from "@/lib/lifecycle/bulk-operations/bulk-operation-schema.ts";
import type { Race } from "@/lib/lifecycle/races/race-schema.ts";
import type { FailureGroups, TaskCounts, TaskDetail, TaskSummary } from "@/lib/tasks/task-schema.ts";
import { api, query } from "@/lib/web/client/base/client.ts";
import { reading, readingPages } from "@/lib/web/client/base/reading.ts";

/** As in `GET /tasks`. */
export type TaskQuery = Record<string, string>;

export const taskKeys = {
  lists: ["tasks", "list"] as const,
  list: (query: TaskQuery | null) => ["tasks", "list", query] as const,
  counts: ["tasks", "counts"] as const,
  /** Everything about one task lies under this key. */
  task: (id: string) => ["tasks", "task", id] as const,
};

export const TASKS_A_PAGE = 100;

/** Null: a filter that no task can match. */
export function taskList(filter: TaskQuery | null) {
  return infiniteQueryOptions({
    queryKey: taskKeys.list(filter),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }): Promise<SearchedPage<TaskSummary>> =>
      filter === null
        ? Promise.resolve({ items: [], nextCursor: null })
        : api.get(`/api/v1/tasks${query({ ...filter, limit: TASKS_A_PAGE, cursor: pageParam })}`, signal),
    getNextPageParam: (page) => page.nextCursor,
  });
}

/** `endedAfter`: counts ended tasks from this instant on. */
export function taskCounts(endedAfter: string) {
  return reading<TaskCounts>(
    [...taskKeys.counts, endedAfter],
    `/api/v1/tasks/counts${query({ endedAfter })}`,
  );
}

/** The number of tasks in a list, whatever is loaded; above `MOST_TOTAL`, one more than that. */
export function taskTotal(filter: TaskQuery | null) {
  const { order: _, ...rest } = filter ?? {};
  return reading<{ total: number }>([...taskKeys.lists, "total", rest], `/api/v1/tasks/total${query(rest)}`);
}

export const MOST_TOTAL = 10_000;

/** Failures by cause, among the tasks of a list. Refetched with every list. */
export function failureGroups(filter: TaskQuery) {
  const { order: _, attention: __, ...rest } = filter;
  return reading<FailureGroups>(
    [...taskKeys.lists, "failures", rest],
    `/api/v1/tasks/failures${query(rest)}`,
    {
      placeholderData: keepPreviousData,
    },
  );
}

export function taskDetail(id: string) {
  return reading<TaskDetail>(taskKeys.task(id), `/api/v1/tasks/${id}`);
}

/** The tasks of a race. Refetched with every list, since a change of any task may concern one of them. */
export function race(id: string) {
  return reading<Race>([...taskKeys.lists, "race", id], `/api/v1/races/${id}`);
}

export function attempts(taskId: string) {
  return reading<{ items: TaskSummary[] }>(
    [...taskKeys.lists, "attempts", taskId],
    `/api/v1/tasks/${taskId}/attempts`,
  );
}

/** Begins with the topic of its hints. */
const key = (id: string) => ["bulk_operation", id] as const;
export const bulkKeys = { operation: key };

const PAGE_SIZE = 100;

export function bulkOperation(id: string) {
  return reading<BulkOperation>(key(id), `/api/v1/bulk-operations/${id}`);
}

/** `state`: of the items; empty: all. */
export function bulkItems(id: string, state: string) {
  return readingPages<Page<BulkItem>>(
    [...key(id), "items", state],
    (cursor) => `/api/v1/bulk-operations/${id}/items${query({ state, limit: PAGE_SIZE, cursor })}`,
  );
}
