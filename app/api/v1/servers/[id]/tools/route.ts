import { pageQuerySchema, pageSchema } from "@/lib/page.ts";
import { toolsOf } from "@/lib/servers/check.ts";
import { toolSchema } from "@/lib/servers/schema.ts";
import { toolPage } from "@/lib/servers/tool-page.ts";
import { endpoint, idParams, route } from "@/lib/web/route.ts";
import { means } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "servers:read",
      summary: "A server's tools, at most five minutes old while it can be reached",
      params: idParams,
      query: pageQuerySchema,
      output: pageSchema(toolSchema),
      errors: ["server_unavailable"],
    },
    async ({ caller, params, query }) =>
      toolPage(await toolsOf(await means(), caller.principal, params.id), query),
  ),
});
