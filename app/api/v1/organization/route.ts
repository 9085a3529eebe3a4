import { requestDeletion } from "@/lib/people/organizations/delete.ts";
import { readOrganization } from "@/lib/people/organizations/organization-reads.ts";
import {
  deleteOrganizationSchema,
  organizationSchema,
  type UpdateOrganization,
  updateOrganizationSchema,
} from "@/lib/people/organizations/organization-schema.ts";
import { updateOrganization } from "@/lib/people/organizations/organization-writes.ts";
import { requireTwo } from "@/lib/policy/policy-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";
import { EXPORT_COUNTS_MS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "settings:read", summary: "The organization and its rules", output: organizationSchema },
    ({ caller }) => within(caller, readOrganization),
  ),
  PATCH: tenantRoute(
    {
      auth: "settings:manage",
      stepUp: ({ fourEyes, keysWithoutEnd, pushText, twoPersonPolicy }: UpdateOrganization) =>
        [fourEyes, keysWithoutEnd, pushText, twoPersonPolicy].some((rule) => rule !== undefined),
      namedByKeys: true,
      summary:
        "Rename the organization, or change its rules for a second person, a second admin, API keys without an end and the text of questions in push notifications. Ending a rule is a proposal: it takes effect when a second person accepts, or after 72 hours",
      body: updateOrganizationSchema,
      output: organizationSchema,
    },
    async (tx, { principal, body }) => {
      const { twoPersonPolicy } = body;
      await updateOrganization(tx, principal, body);
      if (twoPersonPolicy !== undefined) await requireTwo(tx, principal, twoPersonPolicy);
      return readOrganization(tx, principal);
    },
  ),
  DELETE: tenantRoute(
    {
      auth: "organization:delete",
      stepUp: true,
      namedByKeys: true,
      summary:
        "Ask to delete the organization, within an hour of a whole export. It happens 72 hours later, once no task is open, unless an owner takes it back",
      body: deleteOrganizationSchema,
      output: organizationSchema,
      status: 202,
      errors: ["export_first"],
    },
    async (tx, { principal, body }) => {
      await requestDeletion(tx, principal, body.slug, EXPORT_COUNTS_MS);
      return readOrganization(tx, principal);
    },
  ),
});
