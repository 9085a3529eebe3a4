import { listAgents, readAgent } from "@/lib/agents/agent-reads.ts";
import { agentSchema, createAgentSchema, newAgentSchema } from "@/lib/agents/agent-schema.ts";
import { createAgent } from "@/lib/agents/agent-writes.ts";
import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { holdCredential } from "@/lib/web/auth/person.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "agents:manage",
      summary: "Agents that were not revoked, oldest first, with what each may call",
      query: pageQuerySchema,
      output: pageSchema(agentSchema),
    },
    ({ caller, query }) => within(caller, (tx) => listAgents(tx, query)),
  ),
  POST: route(
    {
      auth: "agents:manage",
      stepUp: true,
      summary:
        "Make an agent, no stronger than oneself; its secret, the Bearer token of /mcp, is shown only once",
      body: createAgentSchema,
      output: newAgentSchema,
      status: 201,
      errors: ["too_many_agents"],
    },
    ({ caller, body }) =>
      within(caller, async (tx, principal) => {
        await holdCredential(tx, caller);
        const { id, secret } = await createAgent(tx, principal, body);
        return { ...(await readAgent(tx, id)), secret };
      }),
  ),
});
