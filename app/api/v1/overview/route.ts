import { readOverview } from "@/lib/requests/statistics/statistics-reads.ts";
import { overviewQuerySchema, overviewSchema } from "@/lib/requests/statistics/statistics-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      summary: "Figures of the organization: tasks, decisions, deliveries, servers and engines",
      query: overviewQuerySchema,
      output: overviewSchema,
    },
    ({ caller, query }) => within(caller, (tx) => readOverview(tx, query.range, new Date())),
  ),
});
