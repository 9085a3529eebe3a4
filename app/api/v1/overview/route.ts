import { readOverview } from "@/lib/requests/statistics/statistics-reads.ts";
import { overviewQuerySchema, overviewSchema } from "@/lib/requests/statistics/statistics-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      summary: "Figures of the organization: tasks, decisions, deliveries, servers and engines",
      query: overviewQuerySchema,
      output: overviewSchema,
    },
    (tx, { query }) => readOverview(tx, query.range, new Date()),
  ),
});
