import { readPolicyVersion } from "@/lib/policy/policy-reads.ts";
import { policyVersionParams, policyVersionSchema } from "@/lib/policy/policy-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "settings:manage",
      summary: "A version of the policy, and its changes from the previous version",
      params: policyVersionParams,
      output: policyVersionSchema,
    },
    (tx, { params }) => readPolicyVersion(tx, params.version),
  ),
});
