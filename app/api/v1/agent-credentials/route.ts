import { listAgents, readAgent } from "@/lib/agents/agent-reads.ts";
import { agentSchema, createAgentSchema, newAgentSchema } from "@/lib/agents/agent-schema.ts";
import { createAgent } from "@/lib/agents/agent-writes.ts";
import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { holdCredential } from "@/lib/web/auth/person.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "agents:manage",
      summary: "Agents that were not revoked, oldest first, with what each may call",
      query: pageQuerySchema,
      output: pageSchema(agentSchema),
    },
    (tx, { query }) => listAgents(tx, query),
  ),
  POST: tenantRoute(
    {
      auth: "agents:manage",
      stepUp: true,
      summary:
        "Make an agent with at most your own role. Its secret, the Bearer token for /mcp, is shown only once",
      body: createAgentSchema,
      output: newAgentSchema,
      status: 201,
      errors: ["too_many_agents"],
    },
    async (tx, { principal, caller, body }) => {
      await holdCredential(tx, caller);
      const { id, secret } = await createAgent(tx, principal, body);
      return { ...(await readAgent(tx, id)), secret };
    },
  ),
});
