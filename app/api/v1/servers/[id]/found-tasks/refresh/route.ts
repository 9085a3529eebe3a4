import { pageSchema } from "@/lib/base/page.ts";
import { refreshFoundTasks } from "@/lib/lifecycle/found-tasks/refresh.ts";
import { foundTaskSchema } from "@/lib/tasks/found-task-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "tasks:find",
      summary: "Ask a server now for its tasks; returns those that Intray does not know",
      params: idParams,
      output: pageSchema(foundTaskSchema),
      errors: ["server_paused", "cannot_list", "server_unavailable"],
    },
    async ({ caller, params }) =>
      refreshFoundTasks(await services(), caller.principal.organizationId, params.id),
  ),
});
