import { withdrawEnd } from "@/lib/people/organizations/four-eyes.ts";
import { readOrganization } from "@/lib/people/organizations/organization-reads.ts";
import { organizationSchema } from "@/lib/people/organizations/organization-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "settings:manage",
      summary: "Withdraw the proposal to require no second person any more",
      output: organizationSchema,
    },
    ({ caller }) =>
      within(caller, async (tx, principal) => {
        await withdrawEnd(tx, principal);
        return readOrganization(tx, principal);
      }),
  ),
});
