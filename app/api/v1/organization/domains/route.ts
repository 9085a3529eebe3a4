import { z } from "zod";
import {
  addDomainSchema,
  listDomains,
  organizationDomainSchema,
  readDomain,
} from "@/lib/people/organizations/domains/domain-reads.ts";
import { addDomain } from "@/lib/people/organizations/domains/domain-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "The organization's domains, with the DNS record that proves each",
      output: z.object({ items: z.array(organizationDomainSchema) }),
    },
    async ({ caller }) => ({ items: await within(caller, listDomains) }),
  ),
  POST: route(
    {
      auth: "settings:manage",
      stepUp: true,
      summary:
        "Add a domain. Set its DNS record before you verify it. A domain that exists is returned again",
      body: addDomainSchema,
      output: organizationDomainSchema,
      status: 201,
      errors: ["too_many_domains"],
    },
    ({ caller, body }) =>
      within(caller, async (tx, { actor }) => readDomain(tx, await addDomain(tx, actor, body.domain))),
  ),
});
