import { readDelivery } from "@/lib/outbound/webhooks/webhook-reads.ts";
import { webhookDeliverySchema } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { resendDelivery } from "@/lib/outbound/webhooks/webhook-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { within } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "webhooks:manage",
      summary: "Send a delivery to a webhook again, under the same webhook-id",
      params: idParams,
      output: webhookDeliverySchema,
      status: 202,
      errors: ["nothing_to_resend", "throttled"],
    },
    async ({ caller, params }) => {
      await throttle(`check ${caller.principal.actor.id}`, CHECKS_PER_CALLER);
      return within(caller, async (tx) => {
        await resendDelivery(tx, params.id);
        return readDelivery(tx, params.id);
      });
    },
  ),
});
