import { z } from "zod";
import { connectionSchema } from "@/lib/servers/connections/connection-schema.ts";
import { listConnections } from "@/lib/servers/connections/list.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "servers:read",
      summary:
        "The caller's own connection to a server, and the shared one; none if the server does not use OAuth",
      params: idParams,
      output: z.object({ items: z.array(connectionSchema) }),
    },
    async (tx, { principal, params }) => ({
      items: await listConnections(tx, principal, params.id),
    }),
  ),
});
