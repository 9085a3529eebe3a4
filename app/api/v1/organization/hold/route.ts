import { liftHold, setHold } from "@/lib/people/organizations/hold.ts";
import { readOrganization } from "@/lib/people/organizations/organization-reads.ts";
import { organizationSchema, setHoldSchema } from "@/lib/people/organizations/organization-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PUT: route(
    {
      auth: "organization:hold",
      stepUp: true,
      summary: "Set a legal hold: while it is set, nothing is deleted, not even the organization",
      body: setHoldSchema,
      output: organizationSchema,
    },
    ({ caller, body }) =>
      within(caller, async (tx, principal) => {
        await setHold(tx, principal, body);
        return readOrganization(tx, principal);
      }),
  ),
  DELETE: route(
    {
      auth: "organization:hold",
      stepUp: true,
      summary: "Lift the legal hold",
      output: organizationSchema,
    },
    ({ caller }) =>
      within(caller, async (tx, principal) => {
        await liftHold(tx, principal);
        return readOrganization(tx, principal);
      }),
  ),
});
