import { readDomain } from "@/lib/organizations/domains/queries.ts";
import { organizationDomainSchema } from "@/lib/organizations/domains/schema.ts";
import { removeDomain } from "@/lib/organizations/domains/transitions.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "A domain of the organization",
      params: idParams,
      output: organizationDomainSchema,
    },
    ({ caller, params }) => within(caller, (tx) => readDomain(tx, params.id)),
  ),
  DELETE: route(
    {
      auth: "settings:manage",
      stepUp: true,
      summary: "Remove a domain: its addresses are led to no provider any more",
      params: idParams,
    },
    async ({ caller, params }) => {
      await within(caller, (tx, { actor }) => removeDomain(tx, actor, params.id));
      return undefined;
    },
  ),
});
