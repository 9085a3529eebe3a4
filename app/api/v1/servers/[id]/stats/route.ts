import { readServerStats } from "@/lib/servers/call-statistics/call-statistics-reads.ts";
import { serverStatsSchema, statsQuerySchema } from "@/lib/servers/call-statistics/call-statistics-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "servers:read",
      summary: "The engine's calls to a server over the last hour, day or week: how many, failed, how fast",
      params: idParams,
      query: statsQuerySchema,
      output: serverStatsSchema,
    },
    (tx, { params, query }) => readServerStats(tx, params.id, query.range),
  ),
});
