import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "requests:read",
      inKeyScope: true,
      inView: true,
      summary: "A request for input",
      params: idParams,
      output: inputRequestDetailSchema,
    },
    (tx, { principal, params }) => readInputRequest(tx, principal, params.id),
  ),
});
