import { readMember } from "@/lib/people/members/member-reads.ts";
import { memberSchema } from "@/lib/people/members/member-schema.ts";
import { reinstateMember } from "@/lib/people/members/member-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "members:manage",
      stepUp: true,
      summary: "Bring a suspended membership back, with its role",
      params: idParams,
      output: memberSchema,
      errors: ["account_unproven"],
    },
    async (tx, { principal, params }) => {
      await reinstateMember(tx, principal, params.id);
      return readMember(tx, principal, params.id);
    },
  ),
});
