import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { toolVersionSchema, toolVersionsQuerySchema } from "@/lib/servers/server-schema.ts";
import { listToolVersions } from "@/lib/servers/tool-versions.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "servers:read",
      summary: "The versions of a server's tools, and since when; newest first",
      params: idParams,
      query: pageQuerySchema.extend(toolVersionsQuerySchema.shape),
      output: pageSchema(toolVersionSchema),
    },
    (tx, { params, query }) => listToolVersions(tx, params.id, query),
  ),
});
