import { answerAgentSchema, answeredAgentSchema } from "@/lib/agents/oauth/agent-oauth-schema.ts";
import { letAgentIn, turnAgentAway } from "@/lib/agents/oauth/agent-oauth-writes.ts";
import { wayBack } from "@/lib/web/agent-oauth/addresses.ts";
import { holdCredential, requireBrowserSession } from "@/lib/web/auth/person.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";
import { AGENT_SIGN_IN_MS, SESSION_LIFETIME_MS } from "@/lib/web/tunables.ts";

const times = { agentMs: AGENT_SIGN_IN_MS, browserMs: SESSION_LIFETIME_MS };

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "tasks:start",
      // An agent's tokens outlive the session: they are a key by another name.
      stepUp: ({ decision }: { decision: string }) => decision === "allow",
      summary: "Allow or deny an agent that signs in by OAuth to act in your name; sessions only",
      body: answerAgentSchema,
      output: answeredAgentSchema,
      errors: ["no_longer_open", "too_many_agents"],
    },
    async ({ caller, body }) => {
      const { principal, sessionId } = requireBrowserSession(caller);
      const { request, decision } = body;
      await within(caller, async (tx) => {
        await holdCredential(tx, caller);
        if (decision === "allow") await letAgentIn(tx, principal, sessionId, request, times);
        else await turnAgentAway(tx, principal, sessionId, request);
      });
      return { url: wayBack(request) };
    },
  ),
});
