import { requestCancel } from "@/lib/lifecycle/task-writes.ts";
import { readTask } from "@/lib/tasks/task-reads.ts";
import { taskDetailSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "tasks:manage",
      inKeyScope: true,
      summary: "Cancel a task; the server may need some time",
      params: idParams,
      output: taskDetailSchema,
      status: 202,
      errors: ["task_ended"],
    },
    async (tx, { principal, params }) => {
      await requestCancel(tx, principal, params.id);
      return readTask(tx, principal, params.id);
    },
  ),
});
