import { callbackOf } from "@/lib/lifecycle/aap/aap-instances.ts";
import { aapRequestSchema, submissionSchema } from "@/lib/lifecycle/aap/aap-schema.ts";
import { createAapRequest } from "@/lib/lifecycle/aap/aap-writes.ts";
import { AAP, requiredKey } from "@/lib/web/aap/aap.ts";
import { idempotencyHeader } from "@/lib/web/http/request-headers.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      ...AAP,
      auth: "requests:ask",
      summary:
        "Agent Approval Protocol: ask for an approval of one call; 200 with the earlier request if the key was used before",
      headers: idempotencyHeader,
      body: submissionSchema,
      output: aapRequestSchema,
      status: 201,
      alsoStatuses: [200],
    },
    ({ caller, request, body, reply }) => {
      const key = requiredKey(request);
      return within(caller, async (tx, principal) => {
        const callback = await callbackOf(tx, principal, sealing());
        const made = await createAapRequest(tx, principal, body, key, callback);
        if (!made.created) reply.status = 200;
        return made.request;
      });
    },
  ),
});
