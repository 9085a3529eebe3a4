import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { listFoundTasks } from "@/lib/lifecycle/found-tasks/found-task-reads.ts";
import { foundTaskSchema } from "@/lib/tasks/found-task-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:find",
      summary: "Untracked tasks: the server listed them last, and Intray does not know them; newest first",
      params: idParams,
      query: pageQuerySchema,
      output: pageSchema(foundTaskSchema),
    },
    (tx, { params, query }) => listFoundTasks(tx, params.id, query),
  ),
});
