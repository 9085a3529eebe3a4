import { checkServer } from "@/lib/servers/check.ts";
import { checkedServerSchema } from "@/lib/servers/server-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "servers:check",
      summary: "Test a server now, and return the result of each step",
      params: idParams,
      output: checkedServerSchema,
      errors: ["throttled"],
    },
    async ({ caller, params }) => {
      await throttle(`check ${caller.principal.actor.id}`, CHECKS_PER_CALLER);
      return checkServer(await services(), caller.principal, params.id);
    },
  ),
});
