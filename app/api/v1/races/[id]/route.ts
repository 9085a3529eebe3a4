import { readRace } from "@/lib/lifecycle/races/race-reads.ts";
import { raceSchema } from "@/lib/lifecycle/races/race-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "tasks:read",
      summary: "A race, with the tasks that you may see",
      params: idParams,
      output: raceSchema,
    },
    (tx, { principal, params }) => readRace(tx, principal, params.id),
  ),
});
