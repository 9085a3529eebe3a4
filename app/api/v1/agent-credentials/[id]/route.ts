import { readAgent } from "@/lib/agents/agent-reads.ts";
import { agentSchema, updateAgentSchema } from "@/lib/agents/agent-schema.ts";
import { revokeAgent, updateAgent } from "@/lib/agents/agent-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "agents:manage",
      summary: "An agent that was not revoked, and what it may call",
      params: idParams,
      output: agentSchema,
    },
    ({ caller, params }) => within(caller, (tx) => readAgent(tx, params.id)),
  ),
  PATCH: route(
    {
      auth: "agents:manage",
      stepUp: true,
      summary: "Rename an agent, or change what it may call and how long its calls are held",
      params: idParams,
      body: updateAgentSchema,
      output: agentSchema,
    },
    ({ caller, params, body }) =>
      within(caller, async (tx, principal) => {
        await updateAgent(tx, principal, params.id, body);
        return readAgent(tx, params.id);
      }),
  ),
  DELETE: route(
    { auth: "agents:manage", summary: "Revoke an agent", params: idParams },
    async ({ caller, params }) => {
      await within(caller, (tx, principal) => revokeAgent(tx, principal, params.id));
      return undefined;
    },
  ),
});
