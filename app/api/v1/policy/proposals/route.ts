import { listPolicyProposals } from "@/lib/policy/proposals/proposal-reads.ts";
import { policyProposalsSchema } from "@/lib/policy/proposals/proposal-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "The changes of the policy that wait for a second admin, oldest first",
      output: policyProposalsSchema,
    },
    ({ caller }) => within(caller, listPolicyProposals),
  ),
});
