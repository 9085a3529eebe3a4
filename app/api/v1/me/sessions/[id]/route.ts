import { endSession } from "@/lib/accounts/sessions.ts";
import { database } from "@/lib/web/database.ts";
import { personOf } from "@/lib/web/person.ts";
import { endpoint, idParams, route } from "@/lib/web/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    { auth: "account:use", summary: "End one of your sessions; sessions only", params: idParams },
    async ({ caller, params }) => {
      await endSession(await database(), personOf(caller).user.id, params.id);
      return undefined;
    },
  ),
});
