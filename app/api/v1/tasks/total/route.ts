import { countMatching, MOST_TOTAL } from "@/lib/tasks/task-list-reads.ts";
import { taskFilterSchema, taskTotalSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      inKeyScope: true,
      inView: true,
      summary: "How many tasks match a filter; 10001 means more than ten thousand",
      query: taskFilterSchema,
      output: taskTotalSchema,
    },
    async (tx, { principal, query }) => ({
      total: await countMatching(tx, principal, query, MOST_TOTAL),
    }),
  ),
});
