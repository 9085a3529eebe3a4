import { readRace } from "@/lib/lifecycle/races/race-reads.ts";
import { raceSchema } from "@/lib/lifecycle/races/race-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "tasks:read",
      summary: "A race, with those of its tasks that you may see",
      params: idParams,
      output: raceSchema,
    },
    ({ caller, params }) => within(caller, (tx, principal) => readRace(tx, principal, params.id)),
  ),
});
