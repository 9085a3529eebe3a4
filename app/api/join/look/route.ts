import { joinSchema, lookedAtInvitationSchema } from "@/lib/people/invitations/invitation-schema.ts";
import { lookAtInvitation } from "@/lib/web/auth/join.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { JOIN_PER_ADDRESS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary:
        "What an invitation's link is for. Changes nothing, and does not tell whether the address has an account",
      body: joinSchema,
      output: lookedAtInvitationSchema,
      errors: ["link_expired"],
      rateLimit: { name: "join", ...JOIN_PER_ADDRESS },
    },
    ({ request, body }) => lookAtInvitation(request, body.token),
  ),
});
