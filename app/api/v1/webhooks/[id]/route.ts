import { readWebhook } from "@/lib/outbound/webhooks/webhook-reads.ts";
import { updateWebhookSchema, webhookSchema } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { removeWebhook, updateWebhook } from "@/lib/outbound/webhooks/webhook-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { network } from "@/lib/web/services.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    { auth: "webhooks:manage", summary: "A webhook", params: idParams, output: webhookSchema },
    (tx, { params }) => readWebhook(tx, params.id),
  ),
  PATCH: tenantRoute(
    {
      auth: "webhooks:manage",
      stepUp: true,
      summary: "Change a webhook's address or events, or switch it on or off",
      params: idParams,
      body: updateWebhookSchema,
      output: webhookSchema,
      errors: ["address_not_allowed"],
    },
    async (tx, { principal, params, body }) => {
      await updateWebhook(tx, principal, network(), params.id, body);
      return readWebhook(tx, params.id);
    },
  ),
  DELETE: tenantRoute(
    { auth: "webhooks:manage", summary: "Remove a webhook, with its log", params: idParams },
    (tx, { principal, params }) => removeWebhook(tx, principal, params.id),
  ),
});
