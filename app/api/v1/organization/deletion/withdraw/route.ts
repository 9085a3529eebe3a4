import { withdrawDeletion } from "@/lib/people/organizations/delete.ts";
import { readOrganization } from "@/lib/people/organizations/organization-reads.ts";
import { organizationSchema } from "@/lib/people/organizations/organization-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "organization:delete",
      summary: "Withdraw the deletion of the organization, also another owner's request",
      output: organizationSchema,
    },
    async (tx, { principal }) => {
      await withdrawDeletion(tx, principal);
      return readOrganization(tx, principal);
    },
  ),
});
