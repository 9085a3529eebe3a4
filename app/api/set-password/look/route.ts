import { AppError } from "@/lib/base/errors.ts";
import { passwordLinkSchema } from "@/lib/people/members/member-schema.ts";
import { isPasswordLinkInForce } from "@/lib/people/members/set-password.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { PASSWORD_SET_PER_ADDRESS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary: "Whether a link still sets a password. Uses nothing up",
      body: passwordLinkSchema,
      errors: ["link_expired"],
      rateLimit: { name: "set-password look", ...PASSWORD_SET_PER_ADDRESS },
    },
    async ({ body }) => {
      if (!(await isPasswordLinkInForce(await database(), body.token)))
        throw new AppError("link_expired", "This link was used or is too old; ask for a new one.");
    },
  ),
});
