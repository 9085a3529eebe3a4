import { endSession } from "@/lib/people/accounts/sessions.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    { auth: "account:use", summary: "End one of your sessions; sessions only", params: idParams },
    async ({ caller, params }) => {
      await endSession(await database(), (await accountOf(caller)).user.id, params.id);
    },
  ),
});
