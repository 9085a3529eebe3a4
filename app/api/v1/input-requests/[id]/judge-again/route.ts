import { applyCurrentPolicy } from "@/lib/requests/apply-current-policy.ts";
import { readInputRequest } from "@/lib/requests/request-reads.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "settings:manage",
      stepUp: true,
      summary: "Apply the current policy to an open request, in person. Its votes are discarded",
      params: idParams,
      output: inputRequestDetailSchema,
      errors: ["four_eyes", "call_hidden", "already_answered", "no_longer_open"],
    },
    async (tx, { principal, params }) => {
      await applyCurrentPolicy(tx, principal, params.id);
      return readInputRequest(tx, principal, params.id);
    },
  ),
});
