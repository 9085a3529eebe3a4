import { liftHold, setHold } from "@/lib/people/organizations/hold.ts";
import { readOrganization } from "@/lib/people/organizations/organization-reads.ts";
import { organizationSchema, setHoldSchema } from "@/lib/people/organizations/organization-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PUT: tenantRoute(
    {
      auth: "organization:hold",
      stepUp: true,
      summary: "Set a legal hold: while it is set, nothing is deleted, not even the organization",
      body: setHoldSchema,
      output: organizationSchema,
    },
    async (tx, { principal, body }) => {
      await setHold(tx, principal, body);
      return readOrganization(tx, principal);
    },
  ),
  DELETE: tenantRoute(
    {
      auth: "organization:hold",
      stepUp: true,
      summary: "Lift the legal hold",
      output: organizationSchema,
    },
    async (tx, { principal }) => {
      await liftHold(tx, principal);
      return readOrganization(tx, principal);
    },
  ),
});
