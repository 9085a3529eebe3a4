import { disconnect } from "@/lib/servers/connections/disconnect.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    {
      auth: "connections:own",
      summary:
        "Disconnect: forgets and revokes the tokens. Open tasks stay and wait. The shared connection needs an admin",
      params: idParams,
    },
    async ({ caller, params }) => {
      await disconnect(await services(), caller.principal, params.id);
    },
  ),
});
