import { env } from "@/lib/base/env.ts";
import { AppError } from "@/lib/base/errors.ts";
import { forgotPasswordSchema } from "@/lib/people/members/member-schema.ts";
import { askPasswordReset } from "@/lib/people/members/set-password.ts";
import { signInSettings } from "@/lib/web/auth/sign-in/providers.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { FORGOT_PER_ADDRESS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary:
        "Ask for a mail with a link that sets a new password. The reply is the same whether or not an account has the address",
      body: forgotPasswordSchema,
      errors: ["forbidden"],
      status: 202,
      rateLimit: { name: "forgot-password", ...FORGOT_PER_ADDRESS },
    },
    async ({ body }) => {
      if (!signInSettings().passwords || env().smtpUrl === undefined)
        throw new AppError(
          "forbidden",
          "Intray can't mail a link here. Ask an admin of your organization, or the person who runs Intray.",
        );
      await askPasswordReset(await database(), body.email);
    },
  ),
});
