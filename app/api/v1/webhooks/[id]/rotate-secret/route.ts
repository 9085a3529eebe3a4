import { readWebhook } from "@/lib/outbound/webhooks/webhook-reads.ts";
import { newWebhookSchema } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { rotateSecret } from "@/lib/outbound/webhooks/webhook-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "webhooks:manage",
      stepUp: true,
      summary: "A new secret, which is shown only once. The old one also signs for a day",
      params: idParams,
      output: newWebhookSchema,
    },
    async (tx, { principal, params }) => {
      const { secret } = await rotateSecret(tx, principal, sealing(), params.id);
      return { ...(await readWebhook(tx, params.id)), secret };
    },
  ),
});
