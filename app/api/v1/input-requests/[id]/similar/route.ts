import { readSimilar } from "@/lib/requests/similar/similar.ts";
import { similarRequestsSchema } from "@/lib/requests/similar/similar-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "requests:read",
      inView: true,
      summary: "Decisions on similar requests, and a request that this one may repeat",
      params: idParams,
      output: similarRequestsSchema,
    },
    (tx, { principal, params }) => readSimilar(tx, principal, params.id),
  ),
});
