import { revokeStandingApproval } from "@/lib/lifecycle/revoke-standing-approval.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    {
      auth: "requests:answer",
      summary:
        "Revoke an approval for a while; calls that it let pass and that were not sent yet are cancelled",
      params: idParams,
    },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) => revokeStandingApproval(tx, principal, params.id));
      return undefined;
    },
  ),
});
