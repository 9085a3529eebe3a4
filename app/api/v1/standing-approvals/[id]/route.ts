import { revokeStandingApproval } from "@/lib/lifecycle/revoke-standing-approval.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: tenantRoute(
    {
      auth: "requests:answer",
      summary:
        "Revoke an approval for a while. Calls that it allowed and that were not sent yet are cancelled",
      params: idParams,
    },
    (tx, { principal, params }) => revokeStandingApproval(tx, principal, params.id),
  ),
});
