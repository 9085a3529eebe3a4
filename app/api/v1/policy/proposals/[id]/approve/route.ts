import { readPolicy } from "@/lib/policy/policy-reads.ts";
import { savedPolicySchema } from "@/lib/policy/policy-schema.ts";
import { approveProposal } from "@/lib/policy/policy-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "settings:manage",
      stepUp: true,
      params: idParams,
      summary: "Approve a change of the policy as a second admin, in person: it counts at once",
      output: savedPolicySchema,
      errors: ["same_maker", "version_changed"],
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => {
        await approveProposal(tx, principal, params.id);
        return readPolicy(tx);
      }),
  ),
});
