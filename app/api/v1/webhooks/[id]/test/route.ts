import { readDelivery } from "@/lib/outbound/webhooks/webhook-reads.ts";
import { webhookDeliverySchema } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { sendTest } from "@/lib/outbound/webhooks/webhook-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { within } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "webhooks:manage",
      summary: "Have an event of type webhook.test sent to a webhook",
      params: idParams,
      output: webhookDeliverySchema,
      status: 202,
      errors: ["throttled"],
    },
    async ({ caller, params }) => {
      await throttle(`check ${caller.principal.actor.id}`, CHECKS_PER_CALLER);
      return within(caller, async (tx) => readDelivery(tx, await sendTest(tx, params.id)));
    },
  ),
});
