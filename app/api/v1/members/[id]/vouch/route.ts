import { readMember } from "@/lib/people/members/member-reads.ts";
import { memberSchema } from "@/lib/people/members/member-schema.ts";
import { takeVouchBack, vouchFor } from "@/lib/people/members/vouch.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "owners:manage",
      stepUp: true,
      summary: "Vouch that a member is a person of their own, apart from the member who invited them",
      params: idParams,
      output: memberSchema,
      errors: ["same_maker", "nothing_to_vouch"],
    },
    async (tx, { principal, params }) => {
      await vouchFor(tx, principal, params.id);
      return readMember(tx, principal, params.id);
    },
  ),
  DELETE: tenantRoute(
    {
      auth: "owners:manage",
      stepUp: true,
      summary: "Take back an owner's vouching for a member",
      params: idParams,
      output: memberSchema,
      errors: ["nothing_to_vouch"],
    },
    async (tx, { principal, params }) => {
      await takeVouchBack(tx, principal, params.id);
      return readMember(tx, principal, params.id);
    },
  ),
});
