import { readPolicyVersion } from "@/lib/policy/policy-reads.ts";
import { policyVersionParams, policyVersionSchema } from "@/lib/policy/policy-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "A version of the policy, and what it changed against the one before",
      params: policyVersionParams,
      output: policyVersionSchema,
    },
    ({ caller, params }) => within(caller, (tx) => readPolicyVersion(tx, params.version)),
  ),
});
