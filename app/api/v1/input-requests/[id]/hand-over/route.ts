import { handOverRequest } from "@/lib/requests/claims/claim-writes.ts";
import { handOverInputSchema } from "@/lib/requests/request-input-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "requests:answer",
      summary: "Hand your own request, or one that nobody has, to somebody who may accept it",
      params: idParams,
      body: handOverInputSchema,
      errors: ["already_answered", "no_longer_open", "claimed_by_other", "assigned_to_other"],
    },
    async (tx, { principal, params, body }) => {
      // No detail in the answer: of a private task, the giver may see nothing any more.
      await handOverRequest(tx, principal, params.id, body);
    },
  ),
});
