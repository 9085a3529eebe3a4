import { allowHost, listAllowedHosts, removeHost } from "@/lib/servers/allowed-hosts.ts";
import { allowedHostsSchema, allowHostSchema, removeHostSchema } from "@/lib/servers/server-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { services, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "hosts:allow",
      summary: "Private addresses that were allowed with a button, and whether the caller can allow more",
      output: allowedHostsSchema,
    },
    ({ caller }) => within(caller, listAllowedHosts),
  ),
  POST: route(
    {
      auth: "hosts:allow",
      summary: "Allow the host and port of a private address, for the whole installation; sessions only",
      body: allowHostSchema,
      output: allowedHostsSchema,
      errors: ["address_not_allowed", "defined_by_operator"],
    },
    async ({ caller, body }) => allowHost(await services(), caller.principal, body.url),
  ),
  DELETE: route(
    {
      auth: "hosts:allow",
      summary: "No longer allow an address; sessions only",
      query: removeHostSchema,
      output: allowedHostsSchema,
      errors: ["defined_by_operator"],
    },
    async ({ caller, query }) => removeHost(await services(), caller.principal, query.host),
  ),
});
