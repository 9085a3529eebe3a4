import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { addServer } from "@/lib/servers/check.ts";
import { listServers } from "@/lib/servers/server-reads.ts";
import { createServerSchema, serverSchema } from "@/lib/servers/server-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services, tenantRoute } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "servers:read",
      inKeyScope: true,
      summary: "Servers, oldest first",
      query: pageQuerySchema,
      output: pageSchema(serverSchema),
    },
    (tx, { principal, query }) => listServers(tx, principal, query),
  ),
  POST: route(
    {
      auth: "servers:manage",
      summary: "Register a server. Intray tests it, and keeps it even if it does not answer",
      body: createServerSchema,
      output: serverSchema,
      status: 201,
      errors: ["address_not_allowed", "too_many_servers", "throttled"],
    },
    async ({ caller, body }) => {
      await throttle(`check ${caller.principal.actor.id}`, CHECKS_PER_CALLER);
      return addServer(await services(), caller.principal, body);
    },
  ),
});
