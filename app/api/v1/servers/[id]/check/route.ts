import { checkServer } from "@/lib/servers/check.ts";
import { checkedServerSchema } from "@/lib/servers/schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "servers:check",
      summary: "Probe a server now, and tell how each step went",
      params: idParams,
      output: checkedServerSchema,
    },
    async ({ caller, params }) => checkServer(await services(), caller.principal, params.id),
  ),
});
