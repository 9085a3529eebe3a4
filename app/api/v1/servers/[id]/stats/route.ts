import { readServerStats } from "@/lib/servers/call-statistics/call-statistics-reads.ts";
import { serverStatsSchema, statsQuerySchema } from "@/lib/servers/call-statistics/call-statistics-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "servers:read",
      summary: "The engine's calls to a server over the last hour, day or week: how many, failed, how fast",
      params: idParams,
      query: statsQuerySchema,
      output: serverStatsSchema,
    },
    ({ caller, params, query }) => within(caller, (tx) => readServerStats(tx, params.id, query.range)),
  ),
});
