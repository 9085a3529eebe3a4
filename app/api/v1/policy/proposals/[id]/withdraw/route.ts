import { withdrawProposal } from "@/lib/policy/proposals/proposal-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "settings:manage",
      params: idParams,
      summary: "Withdraw a proposed change of the policy, your own or another's. Nothing changes",
    },
    (tx, { principal, params }) => withdrawProposal(tx, principal, params.id),
  ),
});
