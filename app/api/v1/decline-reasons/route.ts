import { readDeclineReasons } from "@/lib/people/organizations/organization-reads.ts";
import { declineReasonsSchema } from "@/lib/people/organizations/organization-schema.ts";
import { setDeclineReasons } from "@/lib/people/organizations/organization-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:read",
      summary: "The reasons offered to people who decline",
      output: declineReasonsSchema,
    },
    ({ caller }) => within(caller, readDeclineReasons),
  ),
  PUT: tenantRoute(
    {
      auth: "settings:manage",
      summary: "Change the reasons offered to people who decline",
      body: declineReasonsSchema,
      output: declineReasonsSchema,
    },
    async (tx, { principal, body }) => {
      await setDeclineReasons(tx, principal, body);
      return readDeclineReasons(tx);
    },
  ),
});
