import { readAgent } from "@/lib/agents/agent-reads.ts";
import { subscriptionListSchema } from "@/lib/outbound/agent-events/agent-event-schema.ts";
import { listSubscriptions } from "@/lib/outbound/agent-events/subscription-reads.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "agents:manage",
      summary: "An agent's subscriptions to events, which it made at /mcp",
      params: idParams,
      output: subscriptionListSchema,
    },
    async (tx, { params }) => {
      await readAgent(tx, params.id);
      return { items: await listSubscriptions(tx, params.id) };
    },
  ),
});
