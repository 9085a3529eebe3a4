import { z } from "zod";
import { pageSchema } from "@/lib/base/page.ts";
import { appendRead } from "@/lib/history/events/event-writes.ts";
import { listMessages, listMethods } from "@/lib/tasks/task-message-reads.ts";
import { requireVisibleTask } from "@/lib/tasks/task-reads.ts";
import { taskMessageQuerySchema, taskMessageSchema } from "@/lib/tasks/task-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "protocol:read",
      leavesTrace: true,
      summary: "A task's protocol messages without secrets, oldest first",
      params: idParams,
      query: taskMessageQuerySchema,
      output: pageSchema(taskMessageSchema).extend({ methods: z.array(z.string()) }),
    },
    async (tx, { principal, params, query }) => {
      await requireVisibleTask(tx, principal, params.id);
      const messages = await listMessages(tx, params.id, query);
      await appendRead(tx, {
        type: "protocol.read",
        actor: principal.actor,
        taskId: params.id,
      });
      return { ...messages, methods: await listMethods(tx, params.id) };
    },
  ),
});
