import { assignRequest } from "@/lib/requests/claims/claim-writes.ts";
import { assignInputSchema } from "@/lib/requests/request-input-schema.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "requests:assign",
      summary: "Assign a request to a member, with a note, or to nobody",
      params: idParams,
      body: assignInputSchema,
      output: inputRequestDetailSchema,
      errors: ["already_answered", "no_longer_open"],
    },
    async (tx, { principal, params, body }) => {
      await assignRequest(tx, principal, params.id, body);
      return readInputRequest(tx, principal, params.id);
    },
  ),
});
