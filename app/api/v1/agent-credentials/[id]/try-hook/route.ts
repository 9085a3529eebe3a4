import { triedHookSchema, tryHookSchema } from "@/lib/agents/agent-schema.ts";
import { tryHook } from "@/lib/web/hooks/try-hook.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "agents:manage",
      summary: "Ask about a harmless call in an agent's name, as a program's hook would; nothing runs",
      params: idParams,
      body: tryHookSchema,
      output: triedHookSchema,
      errors: ["suspended", "quota_exceeded"],
    },
    ({ caller, params, body }) => tryHook(caller, params.id, body.program),
  ),
});
