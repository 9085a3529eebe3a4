import { subscriptionParams } from "@/lib/outbound/agent-events/agent-event-schema.ts";
import { endSubscription } from "@/lib/outbound/agent-events/subscription-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    { auth: "agents:manage", summary: "End an agent's subscription to events", params: subscriptionParams },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) =>
        endSubscription(tx, principal, params.id, params.subscriptionId),
      );
      return undefined;
    },
  ),
});
