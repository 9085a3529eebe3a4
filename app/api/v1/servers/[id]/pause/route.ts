import { pauseServer } from "@/lib/servers/pause.ts";
import { readServer } from "@/lib/servers/server-reads.ts";
import { pauseServerSchema, serverSchema } from "@/lib/servers/server-schema.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "servers:pause",
      summary:
        "Pause a server: Intray polls, starts, delivers and cancels nothing there until the pause ends",
      params: idParams,
      body: pauseServerSchema,
      output: serverSchema,
    },
    async (tx, { principal, params, body }) => {
      await pauseServer(tx, principal, params.id, body.reason ?? null);
      return readServer(tx, principal, params.id);
    },
  ),
});
