import { tryServerNow } from "@/lib/servers/pause.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "servers:check",
      summary: "Call a server now, although the engine waits after failures",
      params: idParams,
      status: 202,
    },
    (tx, { params }) => tryServerNow(tx, params.id),
  ),
});
