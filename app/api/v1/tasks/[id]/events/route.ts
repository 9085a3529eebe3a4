import { pageSchema } from "@/lib/base/page.ts";
import { taskEventSchema } from "@/lib/history/events/event-schema.ts";
import { listTaskEvents } from "@/lib/tasks/task-event-reads.ts";
import { requireVisibleTask } from "@/lib/tasks/task-reads.ts";
import { taskEventQuerySchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      inKeyScope: true,
      inView: true,
      summary: "A task's history, oldest first",
      params: idParams,
      query: taskEventQuerySchema,
      output: pageSchema(taskEventSchema),
    },
    ({ caller, params, query }) =>
      within(caller, async (tx, principal) => {
        await requireVisibleTask(tx, principal, params.id);
        return listTaskEvents(tx, params.id, query);
      }),
  ),
});
