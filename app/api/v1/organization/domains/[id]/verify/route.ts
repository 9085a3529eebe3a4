import { organizationDomainSchema, readDomain } from "@/lib/people/organizations/domains/domain-reads.ts";
import { verifyDomain } from "@/lib/people/organizations/domains/domain-writes.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { findTexts } from "@/lib/web/services.ts";
import { within } from "@/lib/web/tenant.ts";
import { DOMAIN_CHECKS_PER_MEMBER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "settings:manage",
      stepUp: true,
      summary: "Look for a domain's DNS record now, and verify the domain if it is there",
      params: idParams,
      output: organizationDomainSchema,
      errors: ["domain_not_proven", "domain_taken", "dns_unavailable", "throttled"],
    },
    async ({ caller, params }) => {
      const { organizationId, actor } = caller.principal;
      await throttle(`domain check ${organizationId} ${actor.id}`, DOMAIN_CHECKS_PER_MEMBER);
      await verifyDomain(organizationId, await database(), caller.principal, findTexts(), params.id);
      return within(caller, (tx) => readDomain(tx, params.id));
    },
  ),
});
