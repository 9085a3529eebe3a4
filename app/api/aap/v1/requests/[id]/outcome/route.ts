import { aapRequestSchema, outcomeSchema } from "@/lib/lifecycle/aap/aap-schema.ts";
import { reportAapOutcome } from "@/lib/lifecycle/aap/aap-writes.ts";
import { AAP } from "@/lib/web/aap/aap.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      ...AAP,
      auth: "requests:ask",
      summary: "Agent Approval Protocol: say what became of a call whose approval was used",
      params: idParams,
      body: outcomeSchema,
      output: aapRequestSchema,
    },
    ({ caller, params, body }) =>
      within(caller, (tx, principal) => reportAapOutcome(tx, principal, params.id, body)),
  ),
});
