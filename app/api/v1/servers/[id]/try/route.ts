import { tryServerNow } from "@/lib/servers/pause.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "servers:check",
      summary: "Have the engine call a server now that it has stopped calling after failures",
      params: idParams,
      status: 202,
    },
    ({ caller, params }) =>
      within(caller, async (tx) => {
        await tryServerNow(tx, params.id);
        return undefined;
      }),
  ),
});
