import { resumeServer } from "@/lib/servers/pause.ts";
import { readServer } from "@/lib/servers/server-reads.ts";
import { serverSchema } from "@/lib/servers/server-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "servers:pause",
      summary: "End a server's pause: everything that waited continues at once",
      params: idParams,
      output: serverSchema,
    },
    async (tx, { principal, params }) => {
      await resumeServer(tx, principal, params.id);
      return readServer(tx, principal, params.id);
    },
  ),
});
