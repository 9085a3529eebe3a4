import { organizationDomainSchema, readDomain } from "@/lib/people/organizations/domains/domain-reads.ts";
import { removeDomain } from "@/lib/people/organizations/domains/domain-writes.ts";
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
