import { env } from "@/lib/base/env.ts";
import { beginConnecting } from "@/lib/servers/connections/connect.ts";
import { connectSchema, departureSchema } from "@/lib/servers/connections/connection-schema.ts";
import { readServer } from "@/lib/servers/server-reads.ts";
import { requireBrowserSession } from "@/lib/web/auth/person.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services, within } from "@/lib/web/tenant.ts";
import { CONNECTS_PER_MEMBER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "connections:own",
      summary: "Prepare a sign-in at a server's authorization server, for a browser; shared needs an admin",
      params: idParams,
      body: connectSchema,
      output: departureSchema,
      errors: ["cannot_connect", "hosts_not_allowed", "throttled"],
    },
    async ({ caller, params, body }) => {
      // Reads the server first, so that an unknown or foreign one yields 404 before any other error.
      await within(caller, (tx, principal) => readServer(tx, principal, params.id));
      const traveller = requireBrowserSession(caller);
      await throttle(`connect ${traveller.principal.userId}`, CONNECTS_PER_MEMBER);
      return beginConnecting(await services(), { ...traveller, origin: env().url }, params.id, body);
    },
  ),
});
