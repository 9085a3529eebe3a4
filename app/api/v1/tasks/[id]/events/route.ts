import { listTaskEvents } from "@/lib/events/queries.ts";
import { pageSchema } from "@/lib/page.ts";
import { requireVisibleTask } from "@/lib/tasks/queries.ts";
import { taskEventQuerySchema, taskEventSchema } from "@/lib/tasks/schema.ts";
import { endpoint, idParams, route } from "@/lib/web/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      summary: "A task's history, oldest first",
      params: idParams,
      query: taskEventQuerySchema,
      output: pageSchema(taskEventSchema),
    },
    ({ caller, params, query }) =>
      within(caller, async (organizationId, tx, principal) => {
        await requireVisibleTask(organizationId, tx, principal, params.id);
        return listTaskEvents(organizationId, tx, params.id, query);
      }),
  ),
});
