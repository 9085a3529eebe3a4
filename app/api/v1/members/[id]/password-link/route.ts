import { AppError } from "@/lib/base/errors.ts";
import { memberPasswordLinkSchema } from "@/lib/people/members/member-schema.ts";
import { makeMemberPasswordLink } from "@/lib/people/members/member-writes.ts";
import { passwordLinkUrl } from "@/lib/people/members/set-password.ts";
import { signInSettings } from "@/lib/web/auth/sign-in/providers.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";
import { ADMINS_PASSWORD_LINK_MS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "members:manage",
      stepUp: true,
      summary:
        "Make a link with which a member sets a new password, if their account is only in this organization. It is shown only once",
      params: idParams,
      output: memberPasswordLinkSchema,
      status: 201,
    },
    async ({ caller, params }) => {
      if (!signInSettings().passwords) throw new AppError("forbidden", "There are no passwords here.");
      const token = await within(caller, (tx, principal) =>
        makeMemberPasswordLink(tx, principal, params.id, ADMINS_PASSWORD_LINK_MS),
      );
      const expiresAt = new Date(Date.now() + ADMINS_PASSWORD_LINK_MS).toISOString();
      return { url: passwordLinkUrl(token), expiresAt };
    },
  ),
});
