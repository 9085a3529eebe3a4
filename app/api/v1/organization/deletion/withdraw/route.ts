import { withdrawDeletion } from "@/lib/people/organizations/delete.ts";
import { readOrganization } from "@/lib/people/organizations/organization-reads.ts";
import { organizationSchema } from "@/lib/people/organizations/organization-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "organization:delete",
      summary: "Take the deletion of the organization back, also another owner's",
      output: organizationSchema,
    },
    ({ caller }) =>
      within(caller, async (tx, principal) => {
        await withdrawDeletion(tx, principal);
        return readOrganization(tx, principal);
      }),
  ),
});
