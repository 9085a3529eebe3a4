import { dropMember } from "@/lib/people/members/departure.ts";
import { readMember } from "@/lib/people/members/member-reads.ts";
import { memberSchema, updateMemberSchema } from "@/lib/people/members/member-schema.ts";
import { changeRole } from "@/lib/people/members/member-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { services, tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: tenantRoute(
    {
      auth: "members:manage",
      stepUp: true,
      namedByKeys: true,
      summary: "Change a member's role. Only owners make owners, and change the role of owners",
      params: idParams,
      body: updateMemberSchema,
      output: memberSchema,
      errors: ["last_owner"],
    },
    async (tx, { principal, params, body }) => {
      await changeRole(tx, principal, params.id, body.role);
      return readMember(tx, principal, params.id);
    },
  ),
  DELETE: route(
    {
      auth: "members:manage",
      summary: "End a membership, also a suspended one",
      params: idParams,
      errors: ["last_owner"],
    },
    async ({ caller, params }) => {
      await dropMember(await services(), caller.principal, params.id);
    },
  ),
});
