import { changeServer, dropServer } from "@/lib/servers/check.ts";
import { readServerDetail } from "@/lib/servers/server-reads.ts";
import { serverDetailSchema, serverSchema, updateServerSchema } from "@/lib/servers/server-schema.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services, tenantRoute } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "servers:read",
      inKeyScope: true,
      summary: "A server, with its observed capabilities; only operators get its log",
      params: idParams,
      output: serverDetailSchema,
    },
    (tx, { principal, params }) => readServerDetail(tx, principal, params.id),
  ),
  PATCH: route(
    {
      auth: "servers:manage",
      summary: "Change a server. Intray tests another era or credential first",
      params: idParams,
      body: updateServerSchema,
      output: serverSchema,
      errors: ["defined_by_operator", "throttled"],
    },
    async ({ caller, params, body }) => {
      await throttle(`check ${caller.principal.actor.id}`, CHECKS_PER_CALLER);
      return changeServer(await services(), caller.principal, params.id, body);
    },
  ),
  DELETE: route(
    {
      auth: "servers:manage",
      summary: "Remove a server",
      params: idParams,
      errors: ["server_in_use", "defined_by_operator"],
    },
    async ({ caller, params }) => {
      await dropServer(await services(), caller.principal, params.id);
    },
  ),
});
