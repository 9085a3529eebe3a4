import { restartTask } from "@/lib/lifecycle/start.ts";
import { restartTaskSchema, taskDetailSchema } from "@/lib/tasks/task-schema.ts";
import { idempotencyHeader, readIdempotencyKey } from "@/lib/web/http/request-headers.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "tasks:start",
      inKeyScope: true,
      summary: "Make the same call again as a new task, with other arguments if you send some",
      headers: idempotencyHeader,
      params: idParams,
      body: restartTaskSchema,
      output: taskDetailSchema,
      status: 201,
      alsoStatuses: [200],
      errors: [
        "not_connected",
        "unknown_tool",
        "invalid_arguments",
        "tool_changed",
        "denied_by_rule",
        "connection_changed",
        "idempotency_mismatch",
        "server_unavailable",
        "quota_exceeded",
      ],
    },
    async ({ caller, request, params, body, reply }) => {
      const idempotencyKey = readIdempotencyKey(request);
      const { task, created } = await restartTask(
        await services(),
        caller.principal,
        params.id,
        idempotencyKey,
        body,
      );
      if (!created) reply.status = 200;
      reply.headers.set("location", `/api/v1/tasks/${task.id}`);
      return task;
    },
  ),
});
