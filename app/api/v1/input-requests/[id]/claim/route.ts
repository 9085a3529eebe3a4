import { claimRequest } from "@/lib/requests/claims/claim-writes.ts";
import { claimInputSchema } from "@/lib/requests/request-input-schema.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "requests:answer",
      summary:
        "Claim a request, or take over another's claim. A claim ends after 15 minutes without activity",
      params: idParams,
      body: claimInputSchema,
      output: inputRequestDetailSchema,
      errors: ["four_eyes", "claimed_by_other", "already_answered", "no_longer_open"],
    },
    async (tx, { principal, params, body }) => {
      await claimRequest(tx, principal, params.id, body);
      return readInputRequest(tx, principal, params.id);
    },
  ),
});
