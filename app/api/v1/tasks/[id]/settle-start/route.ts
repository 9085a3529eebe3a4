import { settleStart } from "@/lib/lifecycle/found-tasks/settle-unknown.ts";
import { settleStartSchema } from "@/lib/tasks/found-task-schema.ts";
import { readTask } from "@/lib/tasks/task-reads.ts";
import { taskDetailSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "tasks:manage",
      summary: "Settle a start of unknown outcome: it made one of the server's tasks, or none",
      params: idParams,
      body: settleStartSchema,
      output: taskDetailSchema,
      errors: ["not_start_unknown", "start_under_way", "task_known"],
    },
    async (tx, { principal, params, body }) => {
      await settleStart(tx, principal, sealing(), params.id, body.foundTaskId);
      return readTask(tx, principal, params.id);
    },
  ),
});
