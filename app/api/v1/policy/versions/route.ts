import { listPolicyVersions } from "@/lib/policy/policy-reads.ts";
import { policyVersionsSchema } from "@/lib/policy/policy-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "The latest 50 versions of the policy, newest first: who saved them and when",
      output: policyVersionsSchema,
    },
    ({ caller }) => within(caller, listPolicyVersions),
  ),
});
