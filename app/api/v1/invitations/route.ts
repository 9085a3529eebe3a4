import { pageQuerySchema, pageSchema } from "@/lib/base/page.ts";
import { joinUrl } from "@/lib/invitations/link.ts";
import { listInvitations, readInvitation } from "@/lib/invitations/queries.ts";
import { createInvitationSchema, invitationSchema, newInvitationSchema } from "@/lib/invitations/schema.ts";
import { createInvitation } from "@/lib/invitations/transitions.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "members:manage",
      summary: "Invitations that wait for somebody, oldest first",
      query: pageQuerySchema,
      output: pageSchema(invitationSchema),
    },
    ({ caller, query }) => within(caller, (organizationId, tx) => listInvitations(organizationId, tx, query)),
  ),
  POST: route(
    {
      auth: "members:manage",
      stepUp: true,
      summary: "Invite somebody; the link is shown this once. Only owners invite owners",
      body: createInvitationSchema,
      output: newInvitationSchema,
      status: 201,
      errors: ["already_invited", "already_member"],
    },
    ({ caller, body }) =>
      within(caller, async (organizationId, tx, principal) => {
        const { id, token } = await createInvitation(organizationId, tx, principal, body);
        return { ...(await readInvitation(organizationId, tx, id)), url: joinUrl(token) };
      }),
  ),
});
