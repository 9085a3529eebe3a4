import { pageSchema } from "@/lib/base/page.ts";
import { taskEventSchema } from "@/lib/history/events/event-schema.ts";
import { listTaskEvents } from "@/lib/tasks/task-event-reads.ts";
import { requireVisibleTask } from "@/lib/tasks/task-reads.ts";
import { taskEventQuerySchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      inKeyScope: true,
      inView: true,
      summary: "A task's history, oldest first",
      params: idParams,
      query: taskEventQuerySchema,
      output: pageSchema(taskEventSchema),
    },
    async (tx, { principal, params, query }) => {
      await requireVisibleTask(tx, principal, params.id);
      return listTaskEvents(tx, params.id, query);
    },
  ),
});
