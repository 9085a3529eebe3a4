import { z } from "zod";
import { AppError } from "@/lib/base/errors.ts";
import { findInvitation } from "@/lib/people/invitations/invitation-reads.ts";
import { joinWithAccountSchema } from "@/lib/people/invitations/invitation-schema.ts";
import { joinWithAccount } from "@/lib/people/invitations/join.ts";
import { refuseForeignSignIn, refuseJoinFromOutside } from "@/lib/web/auth/join.ts";
import { signInSettings } from "@/lib/web/auth/sign-in/providers.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { JOIN_PER_ADDRESS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary:
        "Accept an invitation with a new account for its address; then sign in with this account. The reply is the same if the address has an account",
      body: joinWithAccountSchema,
      output: z.object({ email: z.string() }),
      status: 201,
      errors: [
        "address_not_allowed_for_organization",
        "forbidden",
        "link_expired",
        "name_taken",
        "single_sign_on_required",
        "suspended",
      ],
      rateLimit: { name: "join", ...JOIN_PER_ADDRESS },
    },
    async ({ request, body }) => {
      if (!signInSettings().passwords)
        throw new AppError("forbidden", "There are no passwords here: sign in, then open the link again.");
      await refuseJoinFromOutside(request, body.token, {
        kind: "system",
        id: null,
        name: "Somebody invited",
      });
      const db = await database();
      const found = await findInvitation(db, body.token);
      if (found) await refuseForeignSignIn(null, found);
      return joinWithAccount(db, body);
    },
  ),
});
