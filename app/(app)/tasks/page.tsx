import type { ReadAlready } from "@/components/shell/api-provider.tsx";
import { pageQuerySchema } from "@/lib/base/page.ts";
import { listViews } from "@/lib/requests/saved-views/saved-view-reads.ts";
import { viewer } from "@/lib/requests/saved-views/saved-view-writes.ts";
import { listTasks } from "@/lib/tasks/task-list-reads.ts";
import { taskListQuerySchema } from "@/lib/tasks/task-schema.ts";
import { dependsOnNow, readTaskFilters, taskApiFilters } from "@/lib/tasks/words/task-filters.ts";
import { requireSession } from "@/lib/web/auth/session.ts";
import { savedViews } from "@/lib/web/client/requests.ts";
import { TASKS_A_PAGE, taskList } from "@/lib/web/client/tasks/tasks.ts";
import { isPhone, prefetch, readFor, readParams, type SearchParams } from "../prefetch.ts";
import { TasksScreen } from "./tasks-screen.tsx";

export const metadata = { title: "Tasks" };

const listSchema = pageQuerySchema.extend(taskListQuerySchema.shape);

export default async function TasksPage({ searchParams }: { searchParams: SearchParams }) {
  await requireSession({ inView: true });
  const filters = readTaskFilters(await readParams(searchParams));
  // Only the browser knows when the person's day began, so the browser requests such a list itself.
  const query = dependsOnNow(filters) ? null : taskApiFilters(filters, Date.now());
  const read = await prefetch<ReadAlready>(async (tx, principal) => {
    const read = readFor(principal);
    // A member's own views are not looked at as that member.
    if (!principal.isView) {
      const items = await listViews(tx, viewer(principal), "tasks");
      read.push([savedViews("tasks").queryKey, { items, nextCursor: null }]);
    }
    if (query === null) return read;
    const asked = listSchema.parse({ ...query, limit: TASKS_A_PAGE });
    const list = await listTasks(tx, principal, asked);
    return [...read, [taskList(query).queryKey, { pages: [list], pageParams: [""] }]];
  }, []);
  return <TasksScreen read={read} phone={await isPhone()} />;
}
