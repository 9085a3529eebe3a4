import { pageSchema } from "@/lib/base/page.ts";
import { listDeliveries } from "@/lib/outbound/webhooks/webhook-reads.ts";
import { deliveryQuerySchema, webhookDeliverySchema } from "@/lib/outbound/webhooks/webhook-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "webhooks:manage",
      summary: "What was sent to a webhook in the last 30 days, newest first",
      params: idParams,
      query: deliveryQuerySchema,
      output: pageSchema(webhookDeliverySchema),
    },
    (tx, { params, query }) => listDeliveries(tx, params.id, query),
  ),
});
