import { pageQuerySchema } from "@/lib/base/page.ts";
import { toolListQuerySchema, toolListSchema } from "@/lib/servers/server-schema.ts";
import { listTools } from "@/lib/servers/tool-versions.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "servers:read",
      inKeyScope: true,
      summary:
        "A server's tools, at most five minutes old while it can be reached, and what changed since their last use. With asSeen, Intray does not ask the server",
      params: idParams,
      query: pageQuerySchema.extend(toolListQuerySchema.shape),
      output: toolListSchema,
      errors: ["server_paused", "server_unavailable"],
    },
    async ({ caller, params, query }) => listTools(await services(), caller.principal, params.id, query),
  ),
});
