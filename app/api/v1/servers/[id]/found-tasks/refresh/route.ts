import { pageSchema } from "@/lib/base/page.ts";
import { foundTaskSchema } from "@/lib/tasks/found/found-task-schema.ts";
import { refreshFoundTasks } from "@/lib/tasks/found/refresh.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "tasks:find",
      summary: "Ask a server now which tasks it has; answers those that Intray does not know",
      params: idParams,
      output: pageSchema(foundTaskSchema),
      errors: ["server_paused", "cannot_list", "server_unavailable"],
    },
    async ({ caller, params }) =>
      refreshFoundTasks(await services(), caller.principal.organizationId, params.id),
  ),
});
