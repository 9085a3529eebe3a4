import type { Page } from "@/lib/base/page.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { Overview, Range } from "@/lib/requests/statistics/statistics-schema.ts";
import type { TaskCounts, TaskSummary } from "@/lib/tasks/task-schema.ts";
import { query } from "@/lib/web/client/base/client.ts";
import { reading } from "@/lib/web/client/base/reading.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";

export function overview(range: Range) {
  return reading<Overview>(["overview", range], `/api/v1/overview${query({ range })}`, {
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
  return reading<Page<TaskSummary>>([...taskKeys.lists, "stuck"], `/api/v1/tasks${query(STUCK)}`);
}

export function attentionCounts() {
  return reading<TaskCounts>([...taskKeys.counts, "attention"], "/api/v1/tasks/counts");
}

export function oldestRequests() {
  return reading<Page<InputRequestSummary>>(
    [...requestKeys.lists, "oldest"],
    `/api/v1/input-requests${query(OLDEST)}`,
  );
}
