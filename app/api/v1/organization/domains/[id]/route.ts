import { organizationDomainSchema, readDomain } from "@/lib/people/organizations/domains/domain-reads.ts";
import { removeDomain } from "@/lib/people/organizations/domains/domain-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "settings:manage",
      summary: "A domain of the organization",
      params: idParams,
      output: organizationDomainSchema,
    },
    (tx, { params }) => readDomain(tx, params.id),
  ),
  DELETE: route(
    {
      auth: "settings:manage",
      stepUp: true,
      summary: "Remove a domain: its addresses no longer lead to a provider",
      params: idParams,
    },
    ({ caller, params }) => within(caller, (tx, { actor }) => removeDomain(tx, actor, params.id)),
  ),
});
