import { withdrawEnd } from "@/lib/people/organizations/four-eyes.ts";
import { readOrganization } from "@/lib/people/organizations/organization-reads.ts";
import { organizationSchema } from "@/lib/people/organizations/organization-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "settings:manage",
      summary: "Withdraw the proposal to stop requiring a second person",
      output: organizationSchema,
    },
    async (tx, { principal }) => {
      await withdrawEnd(tx, principal);
      return readOrganization(tx, principal);
    },
  ),
});
