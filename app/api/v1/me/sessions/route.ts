import { accountSessionsSchema } from "@/lib/people/accounts/account-schema.ts";
import { endOtherSessions, listSessions, SESSION_IDLE_MS } from "@/lib/people/accounts/sessions.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "Where you are signed in, newest first; sessions only",
      output: accountSessionsSchema,
    },
    async ({ caller }) => {
      const { user, sessionId } = await accountOf(caller);
      return { items: await listSessions(await database(), user.id, sessionId, SESSION_IDLE_MS) };
    },
  ),
  DELETE: route(
    { auth: "account:use", summary: "End all your sessions but this one; sessions only" },
    async ({ caller }) => {
      const { user, sessionId } = await accountOf(caller);
      await endOtherSessions(await database(), user.id, sessionId);
    },
  ),
});
