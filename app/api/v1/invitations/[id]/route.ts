import { joinUrl } from "@/lib/invitations/link.ts";
import { readInvitation } from "@/lib/invitations/queries.ts";
import { updatedInvitationSchema, updateInvitationSchema } from "@/lib/invitations/schema.ts";
import { revokeInvitation, updateInvitation } from "@/lib/invitations/transitions.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  PATCH: route(
    {
      auth: "members:manage",
      stepUp: true,
      summary: "Change an invitation's role, or renew it: a new link, shown this once, and another week",
      params: idParams,
      body: updateInvitationSchema,
      output: updatedInvitationSchema,
    },
    ({ caller, params, body }) =>
      within(caller, async (organizationId, tx, principal) => {
        const { token } = await updateInvitation(organizationId, tx, principal, params.id, body);
        const invitation = await readInvitation(organizationId, tx, params.id);
        return { ...invitation, ...(token && { url: joinUrl(token) }) };
      }),
  ),
  DELETE: route(
    { auth: "members:manage", summary: "Revoke an invitation: its link ends at once", params: idParams },
    async ({ caller, params }) => {
      await within(caller, (organizationId, tx, principal) =>
        revokeInvitation(organizationId, tx, principal, params.id),
      );
      return undefined;
    },
  ),
});
