import { withdrawDeletion } from "@/lib/people/organizations/delete.ts";
import { readOrganization } from "@/lib/people/organizations/organization-reads.ts";
import { organizationSchema } from "@/lib/people/organizations/organization-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "organization:delete",
      summary: "Take the deletion of the organization back, also another owner's",
      output: organizationSchema,
    },
    async (tx, { principal }) => {
      await withdrawDeletion(tx, principal);
      return readOrganization(tx, principal);
    },
  ),
});
