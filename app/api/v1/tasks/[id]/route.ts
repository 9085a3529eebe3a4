import { readTask } from "@/lib/tasks/task-reads.ts";
import { taskDetailSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      inKeyScope: true,
      inView: true,
      summary: "A task",
      params: idParams,
      output: taskDetailSchema,
    },
    (tx, { principal, params }) => readTask(tx, principal, params.id),
  ),
});
