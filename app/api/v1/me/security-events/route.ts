import { securityEventsSchema } from "@/lib/people/accounts/account-schema.ts";
import { listSecurityEvents } from "@/lib/people/accounts/sessions.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "The latest activity of your account, newest first; sessions only",
      output: securityEventsSchema,
    },
    async ({ caller }) => ({
      items: await listSecurityEvents(await database(), (await accountOf(caller)).user.id),
    }),
  ),
});
