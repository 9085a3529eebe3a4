import { readWebhook } from "@/lib/outbound/webhooks/webhook-reads.ts";
import { updateWebhookSchema, webhookSchema } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { removeWebhook, updateWebhook } from "@/lib/outbound/webhooks/webhook-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { network } from "@/lib/web/services.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "webhooks:manage", summary: "A webhook", params: idParams, output: webhookSchema },
    ({ caller, params }) => within(caller, (tx) => readWebhook(tx, params.id)),
  ),
  PATCH: route(
    {
      auth: "webhooks:manage",
      stepUp: true,
      summary: "Change a webhook's address or events, or switch it on or off",
      params: idParams,
      body: updateWebhookSchema,
      output: webhookSchema,
      errors: ["address_not_allowed"],
    },
    ({ caller, params, body }) =>
      within(caller, async (tx, principal) => {
        await updateWebhook(tx, principal, network(), params.id, body);
        return readWebhook(tx, params.id);
      }),
  ),
  DELETE: route(
    { auth: "webhooks:manage", summary: "Remove a webhook, with its log", params: idParams },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) => removeWebhook(tx, principal, params.id));
      return undefined;
    },
  ),
});
