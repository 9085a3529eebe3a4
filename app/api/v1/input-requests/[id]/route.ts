import { readInputRequest } from "@/lib/input-requests/queries.ts";
import { inputRequestDetailSchema } from "@/lib/input-requests/schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "requests:read",
      inKeyScope: true,
      inView: true,
      entersWith: { planOnce: true },
      summary: "A request for input",
      params: idParams,
      output: inputRequestDetailSchema,
    },
    ({ caller, params }) => within(caller, (tx, principal) => readInputRequest(tx, principal, params.id)),
  ),
});
