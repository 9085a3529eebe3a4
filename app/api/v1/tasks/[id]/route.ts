import { readTask } from "@/lib/tasks/task-reads.ts";
import { taskDetailSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      inKeyScope: true,
      inView: true,
      summary: "A task",
      params: idParams,
      output: taskDetailSchema,
    },
    ({ caller, params }) => within(caller, (tx, principal) => readTask(tx, principal, params.id)),
  ),
});
