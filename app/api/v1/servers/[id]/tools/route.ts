import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { toolSchema } from "@/lib/servers/schema.ts";
import { listTools } from "@/lib/servers/tool-versions.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "servers:read",
      summary:
        "A server's tools, at most five minutes old while it can be reached; with what changed since their last use",
      params: idParams,
      query: pageQuerySchema,
      output: pageSchema(toolSchema),
      errors: ["server_paused", "server_unavailable"],
    },
    async ({ caller, params, query }) => listTools(await services(), caller.principal, params.id, query),
  ),
});
