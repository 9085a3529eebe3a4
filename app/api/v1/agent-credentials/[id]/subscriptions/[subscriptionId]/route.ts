import { subscriptionParams } from "@/lib/outbound/agent-events/agent-event-schema.ts";
import { endSubscription } from "@/lib/outbound/agent-events/subscription-writes.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: tenantRoute(
    { auth: "agents:manage", summary: "End an agent's subscription to events", params: subscriptionParams },
    (tx, { principal, params }) => endSubscription(tx, principal, params.id, params.subscriptionId),
  ),
});
