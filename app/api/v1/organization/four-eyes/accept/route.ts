import { acceptEnd } from "@/lib/people/organizations/four-eyes.ts";
import { readOrganization } from "@/lib/people/organizations/organization-reads.ts";
import { organizationSchema } from "@/lib/people/organizations/organization-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "settings:manage",
      stepUp: true,
      summary: "Accept as a second person that a second person is no longer required, at once",
      output: organizationSchema,
      errors: ["same_maker"],
    },
    async (tx, { principal }) => {
      await acceptEnd(tx, principal);
      return readOrganization(tx, principal);
    },
  ),
});
