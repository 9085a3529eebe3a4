import { aapRequestSchema, outcomeSchema } from "@/lib/lifecycle/aap/aap-schema.ts";
import { reportAapOutcome } from "@/lib/lifecycle/aap/aap-writes.ts";
import { AAP } from "@/lib/web/aap/aap.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      ...AAP,
      auth: "requests:ask",
      summary: "Agent Approval Protocol: report the outcome of a call whose approval was used",
      params: idParams,
      body: outcomeSchema,
      output: aapRequestSchema,
    },
    (tx, { principal, params, body }) => reportAapOutcome(tx, principal, params.id, body),
  ),
});
