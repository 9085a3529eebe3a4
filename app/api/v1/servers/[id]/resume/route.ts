import { resumeServer } from "@/lib/servers/pause.ts";
import { readServer } from "@/lib/servers/server-reads.ts";
import { serverSchema } from "@/lib/servers/server-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "servers:pause",
      summary: "End a server's pause: all that waited goes on at once",
      params: idParams,
      output: serverSchema,
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => {
        await resumeServer(tx, principal, params.id);
        return readServer(tx, principal, params.id);
      }),
  ),
});
