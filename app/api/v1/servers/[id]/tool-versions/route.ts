import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { toolVersionSchema, toolVersionsQuerySchema } from "@/lib/servers/server-schema.ts";
import { listToolVersions } from "@/lib/servers/tool-versions.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "servers:read",
      summary: "What a server's tools said of themselves, and since when; newest first",
      params: idParams,
      query: pageQuerySchema.extend(toolVersionsQuerySchema.shape),
      output: pageSchema(toolVersionSchema),
    },
    ({ caller, params, query }) => within(caller, (tx) => listToolVersions(tx, params.id, query)),
  ),
});
