import { readPolicy } from "@/lib/policy/policy-reads.ts";
import { savedPolicySchema } from "@/lib/policy/policy-schema.ts";
import { approveProposal } from "@/lib/policy/policy-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "settings:manage",
      stepUp: true,
      params: idParams,
      summary: "Approve a change of the policy as a second admin, in person: it counts at once",
      output: savedPolicySchema,
      errors: ["same_maker", "version_changed"],
    },
    async (tx, { principal, params }) => {
      await approveProposal(tx, principal, params.id);
      return readPolicy(tx);
    },
  ),
});
