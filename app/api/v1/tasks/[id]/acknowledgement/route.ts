import { acknowledgeTask, releaseTask } from "@/lib/lifecycle/stuck-task-owner-writes.ts";
import { readTask } from "@/lib/tasks/task-reads.ts";
import { acknowledgeSchema, taskDetailSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PUT: tenantRoute(
    {
      auth: "tasks:manage",
      summary: "Take ownership of a stuck task; ends when the task is no longer stuck",
      params: idParams,
      body: acknowledgeSchema,
      output: taskDetailSchema,
      errors: ["not_stuck", "acknowledged_by_other"],
    },
    async (tx, { principal, params, body }) => {
      await acknowledgeTask(tx, principal, params.id, body);
      return readTask(tx, principal, params.id);
    },
  ),
  DELETE: tenantRoute(
    {
      auth: "tasks:manage",
      summary: "Release a stuck task that you own",
      params: idParams,
      output: taskDetailSchema,
      errors: ["acknowledged_by_other"],
    },
    async (tx, { principal, params }) => {
      await releaseTask(tx, principal, params.id);
      return readTask(tx, principal, params.id);
    },
  ),
});
