import * as invitations from "@/app/api/v1/invitations/route.ts";
import { pageSchema } from "@/lib/base/page.ts";
import { listMembers } from "@/lib/people/members/member-reads.ts";
import { memberQuerySchema, memberSchema } from "@/lib/people/members/member-schema.ts";
import { endpoint } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "members:manage",
      summary:
        "Members, in the order in which they joined, or with `state=suspended` those who are suspended; `q` is part of a name or an e-mail address",
      query: memberQuerySchema,
      output: pageSchema(memberSchema),
    },
    (tx, { principal, query }) => listMembers(tx, principal, query),
  ),
  // Nobody becomes a member without accepting an invitation.
  POST: invitations.POST,
});
