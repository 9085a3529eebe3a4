import { newInvitationSchema, updateInvitationSchema } from "@/lib/people/invitations/invitation-schema.ts";
import { revokeInvitation } from "@/lib/people/invitations/invitation-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { changeInvitation } from "@/lib/web/invite.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: route(
    {
      auth: "members:manage",
      stepUp: true,
      namedByKeys: true,
      summary: "Change an invitation's role, or renew it: a new link, mailed or shown, and another week",
      params: idParams,
      body: updateInvitationSchema,
      output: newInvitationSchema,
    },
    ({ caller, params, body }) => changeInvitation(caller, params.id, body),
  ),
  DELETE: tenantRoute(
    { auth: "members:manage", summary: "Revoke an invitation: its link ends at once", params: idParams },
    (tx, { principal, params }) => revokeInvitation(tx, principal, params.id),
  ),
});
