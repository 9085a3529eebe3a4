import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { listWebhooks, readWebhook } from "@/lib/outbound/webhooks/webhook-reads.ts";
import {
  createWebhookSchema,
  newWebhookSchema,
  webhookSchema,
} from "@/lib/outbound/webhooks/webhook-schema.ts";
import { createWebhook } from "@/lib/outbound/webhooks/webhook-writes.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { network, sealing } from "@/lib/web/services.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "webhooks:manage",
      summary: "Webhooks, oldest first",
      query: pageQuerySchema,
      output: pageSchema(webhookSchema),
    },
    (tx, { query }) => listWebhooks(tx, query),
  ),
  POST: tenantRoute(
    {
      auth: "webhooks:manage",
      stepUp: true,
      summary: "Add a webhook; its secret is shown only once",
      body: createWebhookSchema,
      output: newWebhookSchema,
      status: 201,
      errors: ["address_not_allowed", "too_many_webhooks"],
    },
    async (tx, { principal, body }) => {
      const services = { network: network(), seal: sealing() };
      const { id, secret } = await createWebhook(tx, principal, services, body);
      return { ...(await readWebhook(tx, id)), secret };
    },
  ),
});
