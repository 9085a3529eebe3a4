import { disconnect } from "@/lib/connections/disconnect.ts";
import { endpoint, idParams, route } from "@/lib/web/route.ts";
import { means } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    {
      auth: "connections:own",
      summary:
        "Disconnect: tokens are forgotten and revoked, open tasks stay and wait; shared needs an admin",
      params: idParams,
    },
    async ({ caller, params }) => {
      await disconnect(await means(), caller.principal, params.id);
      return undefined;
    },
  ),
});
