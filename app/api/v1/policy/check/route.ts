import { z } from "zod";
import { checkPolicy } from "@/lib/policy/check.ts";
import { policyCheckSchema } from "@/lib/policy/policy-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";
import { MAX_POLICY_VALUES } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "settings:manage",
      summary: "Check a policy, and list each problem with its place; nothing is saved",
      body: z.record(z.string(), z.unknown()),
      mostValues: MAX_POLICY_VALUES,
      output: policyCheckSchema,
    },
    (tx, { body }) => checkPolicy(tx, body),
  ),
});
