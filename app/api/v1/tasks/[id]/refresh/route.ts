import { requestRefresh } from "@/lib/lifecycle/task-writes.ts";
import { readTask } from "@/lib/tasks/task-reads.ts";
import { taskDetailSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "tasks:manage",
      inKeyScope: true,
      summary: "Poll a task now",
      params: idParams,
      output: taskDetailSchema,
      status: 202,
    },
    async (tx, { principal, params }) => {
      await requestRefresh(tx, principal, params.id);
      return readTask(tx, principal, params.id);
    },
  ),
});
