import { joinSchema } from "@/lib/people/invitations/invitation-schema.ts";
import { joinAsPerson } from "@/lib/web/auth/join.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { JOIN_PER_ADDRESS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary:
        "Accept an invitation with the account that is signed in, also if it is in no organization yet; sessions only",
      body: joinSchema,
      errors: [
        "account_unproven",
        "address_not_allowed_for_organization",
        "cross_site",
        "link_expired",
        "sign_in_again_required",
        "sign_in_too_weak",
        "single_sign_on_required",
        "suspended",
        "unauthenticated",
        "view_only",
        "wrong_account",
      ],
      rateLimit: { name: "join", ...JOIN_PER_ADDRESS },
    },
    ({ request, body }) => joinAsPerson(request, body.token),
  ),
});
