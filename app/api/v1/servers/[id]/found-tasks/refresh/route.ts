import { refreshFoundTasks } from "@/lib/found-tasks/refresh.ts";
import { foundTaskSchema } from "@/lib/found-tasks/schema.ts";
import { pageSchema } from "@/lib/page.ts";
import { endpoint, idParams, route } from "@/lib/web/route.ts";
import { means } from "@/lib/web/tenant.ts";

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
      refreshFoundTasks(await means(), caller.principal.organizationId, params.id),
  ),
});
