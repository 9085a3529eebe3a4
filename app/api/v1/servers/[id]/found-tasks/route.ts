import { listFoundTasks } from "@/lib/found-tasks/queries.ts";
import { foundTaskSchema } from "@/lib/found-tasks/schema.ts";
import { pageQuerySchema, pageSchema } from "@/lib/page.ts";
import { endpoint, idParams, route } from "@/lib/web/route.ts";
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
    ({ caller, params, query }) =>
      within(caller, (organizationId, tx) => listFoundTasks(organizationId, tx, params.id, query)),
  ),
});
