import { setPasswordInputSchema } from "@/lib/people/members/member-schema.ts";
import { setPassword } from "@/lib/people/members/set-password.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { PASSWORD_SET_PER_ADDRESS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary: "Use a link to set your password",
      body: setPasswordInputSchema,
      errors: ["link_expired"],
      rateLimit: { name: "set-password", ...PASSWORD_SET_PER_ADDRESS },
    },
    async ({ body }) => setPassword(await database(), body),
  ),
});
