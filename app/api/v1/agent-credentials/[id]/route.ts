import { readAgent } from "@/lib/agents/agent-reads.ts";
import { agentSchema, updateAgentSchema } from "@/lib/agents/agent-schema.ts";
import { revokeAgent, updateAgent } from "@/lib/agents/agent-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "agents:manage",
      summary: "An agent that was not revoked, and what it may call",
      params: idParams,
      output: agentSchema,
    },
    (tx, { params }) => readAgent(tx, params.id),
  ),
  PATCH: tenantRoute(
    {
      auth: "agents:manage",
      stepUp: true,
      summary: "Rename an agent, or change what it may call and how long its calls stay open",
      params: idParams,
      body: updateAgentSchema,
      output: agentSchema,
    },
    async (tx, { principal, params, body }) => {
      await updateAgent(tx, principal, params.id, body);
      return readAgent(tx, params.id);
    },
  ),
  DELETE: tenantRoute(
    { auth: "agents:manage", summary: "Revoke an agent", params: idParams },
    (tx, { principal, params }) => revokeAgent(tx, principal, params.id),
  ),
});
