import { z } from "zod";
import { adoptFoundTask } from "@/lib/lifecycle/found-tasks/adopt.ts";
import { adoptSchema } from "@/lib/tasks/found-task-schema.ts";
import { readTask } from "@/lib/tasks/task-reads.ts";
import { taskDetailSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "tasks:adopt",
      summary: "Adopt a task that the server has and Intray did not start",
      params: idParams.extend({ foundId: z.uuid() }),
      body: adoptSchema,
      output: taskDetailSchema,
      status: 201,
      errors: ["task_known", "start_not_settled", "start_under_way"],
    },
    async ({ caller, params, body, reply }) => {
      const task = await within(caller, async (tx, principal) => {
        const at = { serverId: params.id, foundId: params.foundId };
        const id = await adoptFoundTask(tx, principal, sealing(), at, body);
        return readTask(tx, principal, id);
      });
      reply.headers.set("location", `/api/v1/tasks/${task.id}`);
      return task;
    },
  ),
});
