import { readAgent } from "@/lib/agents/agent-reads.ts";
import { newAgentSchema, rotateAgentSchema } from "@/lib/agents/agent-schema.ts";
import { rotateAgentSecret } from "@/lib/agents/agent-writes.ts";
import { holdCredential } from "@/lib/web/auth/person.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "agents:manage",
      stepUp: true,
      summary: "Give your own agent a new secret, which is shown only once. The old one ends now",
      params: idParams,
      body: rotateAgentSchema,
      output: newAgentSchema,
    },
    async (tx, { principal, caller, params, body }) => {
      await holdCredential(tx, caller);
      const { secret } = await rotateAgentSecret(tx, principal, params.id, body);
      return { ...(await readAgent(tx, params.id)), secret };
    },
  ),
});
