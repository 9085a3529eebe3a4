import { removePasskey } from "@/lib/people/accounts/passkeys.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    {
      auth: "account:use",
      summary: "Remove one of your passkeys; sessions only",
      params: idParams,
      stepUp: true,
    },
    async ({ caller, params }) =>
      removePasskey(await database(), (await accountOf(caller)).user.id, params.id),
  ),
});
