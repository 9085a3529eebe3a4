import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { listFoundTasks } from "@/lib/lifecycle/found-tasks/found-task-reads.ts";
import { foundTaskSchema } from "@/lib/tasks/found-task-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:find",
      summary: "Tasks that the server listed last and Intray does not know, newest find first",
      params: idParams,
      query: pageQuerySchema,
      output: pageSchema(foundTaskSchema),
    },
    ({ caller, params, query }) => within(caller, (tx) => listFoundTasks(tx, params.id, query)),
  ),
});
