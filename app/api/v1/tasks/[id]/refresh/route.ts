import { requestRefresh } from "@/lib/task-lifecycle/transitions.ts";
import { readTask } from "@/lib/tasks/queries.ts";
import { taskDetailSchema } from "@/lib/tasks/schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "tasks:manage",
      inKeyScope: true,
      summary: "Look at a task's server now",
      params: idParams,
      output: taskDetailSchema,
      status: 202,
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => {
        await requestRefresh(tx, principal, params.id);
        return readTask(tx, principal, params.id);
      }),
  ),
});
