import { pageQuerySchema, searchedPageSchema } from "@/lib/base/page.ts";
import { startTask } from "@/lib/lifecycle/start.ts";
import { listTasks } from "@/lib/tasks/task-list-reads.ts";
import {
  startedTaskSchema,
  startTaskSchema,
  taskListQuerySchema,
  taskSchema,
} from "@/lib/tasks/task-schema.ts";
import { idempotencyHeader, readIdempotencyKey } from "@/lib/web/http/request-headers.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { services, tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      inKeyScope: true,
      inView: true,
      summary: "Tasks, newest first unless another order is asked for",
      query: pageQuerySchema.extend(taskListQuerySchema.shape),
      output: searchedPageSchema(taskSchema),
    },
    (tx, { principal, query }) => listTasks(tx, principal, query),
  ),
  POST: route(
    {
      auth: "tasks:start",
      inKeyScope: true,
      summary: "Start a tool as a task; 200 with the earlier task if the key was used before",
      headers: idempotencyHeader,
      body: startTaskSchema,
      output: startedTaskSchema,
      status: 201,
      alsoStatuses: [200],
      errors: [
        "not_found",
        "unknown_tool",
        "invalid_arguments",
        "not_repeatable",
        "tool_changed",
        "denied_by_rule",
        "idempotency_mismatch",
        "server_unavailable",
        "quota_exceeded",
      ],
    },
    async ({ caller, request, body, reply }) => {
      const idempotencyKey = readIdempotencyKey(request);
      const { task, created, toolChangedAt } = await startTask(await services(), caller.principal, {
        ...body,
        ttlMs: body.ttlMs ?? null,
        idempotencyKey,
        restartOf: null,
        retry: body.retry ?? null,
      });
      if (!created) reply.status = 200;
      reply.headers.set("location", `/api/v1/tasks/${task.id}`);
      return { ...task, toolChangedAt: toolChangedAt?.toISOString() ?? null };
    },
  ),
});
