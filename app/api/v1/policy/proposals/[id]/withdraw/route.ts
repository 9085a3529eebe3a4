import { withdrawProposal } from "@/lib/policy/proposals/proposal-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "settings:manage",
      params: idParams,
      summary: "Withdraw a proposed change of the policy, one's own or another's: everything stays as it is",
    },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) => withdrawProposal(tx, principal, params.id));
      return undefined;
    },
  ),
});
