import { releaseRequest } from "@/lib/requests/claims/claim-writes.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "requests:answer",
      summary: "Release your claim on a request",
      params: idParams,
      output: inputRequestDetailSchema,
      errors: ["claimed_by_other"],
    },
    async (tx, { principal, params }) => {
      await releaseRequest(tx, principal, params.id);
      return readInputRequest(tx, principal, params.id);
    },
  ),
});
