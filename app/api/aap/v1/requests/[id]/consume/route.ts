import { aapRequestSchema } from "@/lib/lifecycle/aap/aap-schema.ts";
import { consumeAapRequest } from "@/lib/lifecycle/aap/aap-writes.ts";
import { AAP, requiredKey } from "@/lib/web/aap/aap.ts";
import { idempotencyHeader } from "@/lib/web/http/request-headers.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      ...AAP,
      auth: "requests:ask",
      summary: "Agent Approval Protocol: use your own approval, once, before it ends",
      params: idParams,
      headers: idempotencyHeader,
      output: aapRequestSchema,
    },
    ({ caller, request, params }) => {
      const key = requiredKey(request);
      return within(caller, (tx, principal) => consumeAapRequest(tx, principal, params.id, key));
    },
  ),
});
