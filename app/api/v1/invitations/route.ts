import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { listInvitations } from "@/lib/people/invitations/invitation-reads.ts";
import {
  createInvitationSchema,
  invitationSchema,
  newInvitationSchema,
} from "@/lib/people/invitations/invitation-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { invite } from "@/lib/web/invite.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "members:manage",
      summary: "Open invitations, oldest first",
      query: pageQuerySchema,
      output: pageSchema(invitationSchema),
    },
    (tx, { query }) => listInvitations(tx, query),
  ),
  POST: route(
    {
      auth: "members:manage",
      stepUp: true,
      namedByKeys: true,
      summary: "Invite somebody, by mail or by a link that is shown only once. Only owners invite owners",
      body: createInvitationSchema,
      output: newInvitationSchema,
      status: 201,
      errors: ["already_invited", "already_member", "too_many_invitations", "suspended"],
    },
    ({ caller, body }) => invite(caller, body),
  ),
});
