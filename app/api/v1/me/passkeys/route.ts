import { env } from "@/lib/base/env.ts";
import { addPasskeySchema, passkeySchema } from "@/lib/people/accounts/account-schema.ts";
import { addPasskey, relyingParty } from "@/lib/people/accounts/passkeys.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "account:use",
      summary: "Store the passkey that a browser made; sessions only",
      body: addPasskeySchema,
      output: passkeySchema,
      status: 201,
      errors: ["passkey_refused", "passkey_known"],
    },
    async ({ caller, body }) => {
      const { user, sessionId } = await accountOf(caller);
      return addPasskey(await database(), relyingParty(env().url), { userId: user.id, sessionId }, body);
    },
  ),
});
