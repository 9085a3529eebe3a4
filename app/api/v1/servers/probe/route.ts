import { probeAddress } from "@/lib/servers/probe.ts";
import { probedAddressSchema, probeInputSchema } from "@/lib/servers/server-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services } from "@/lib/web/tenant.ts";
import { PROBES_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "servers:manage",
      summary: "Try an address before you register a server. Nothing is stored",
      body: probeInputSchema,
      output: probedAddressSchema,
      errors: ["address_not_allowed", "throttled"],
    },
    async ({ caller, body }) => {
      await throttle(`probe ${caller.principal.actor.id}`, PROBES_PER_CALLER);
      return probeAddress((await services()).network, body);
    },
  ),
});
