import { z } from "zod";
import { queryTimeSchema } from "@/lib/base/page.ts";
import { countTasks } from "@/lib/tasks/task-list-reads.ts";
import { taskCountsSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

const DAY_MS = 24 * 3600_000;

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      inKeyScope: true,
      inView: true,
      summary:
        "How many tasks are in each state, need attention, and ended recently; 1001 means more than a thousand",
      // Default: 24 hours ago. The client passes its own midnight, because the server knows no time zone.
      query: z.object({ endedAfter: queryTimeSchema.optional() }),
      output: taskCountsSchema,
    },
    (tx, { principal, query }) =>
      countTasks(tx, principal, query.endedAfter ?? new Date(Date.now() - DAY_MS).toISOString()),
  ),
});
