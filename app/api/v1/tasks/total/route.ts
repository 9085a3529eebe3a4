import { countMatching, MOST_TOTAL } from "@/lib/tasks/task-list-reads.ts";
import { taskFilterSchema, taskTotalSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      inKeyScope: true,
      inView: true,
      summary: "How many tasks match a filter; 10001 means more than ten thousand",
      query: taskFilterSchema,
      output: taskTotalSchema,
    },
    ({ caller, query }) =>
      within(caller, async (tx, principal) => ({
        total: await countMatching(tx, principal, query, MOST_TOTAL),
      })),
  ),
});
