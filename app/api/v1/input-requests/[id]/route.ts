import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "requests:read",
      inKeyScope: true,
      inView: true,
      summary: "A request for input",
      params: idParams,
      output: inputRequestDetailSchema,
    },
    ({ caller, params }) => within(caller, (tx, principal) => readInputRequest(tx, principal, params.id)),
  ),
});
