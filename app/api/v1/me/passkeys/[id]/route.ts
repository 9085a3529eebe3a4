import { removePasskey } from "@/lib/accounts/passkeys.ts";
import { database } from "@/lib/web/database.ts";
import { personOf } from "@/lib/web/person.ts";
import { endpoint, idParams, route } from "@/lib/web/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    { auth: "account:use", summary: "Remove one of your passkeys; sessions only", params: idParams },
    async ({ caller, params }) => removePasskey(await database(), personOf(caller).user.id, params.id),
  ),
});
