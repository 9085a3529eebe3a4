import { addPasskey, relyingParty } from "@/lib/accounts/passkeys.ts";
import { addPasskeySchema, passkeySchema } from "@/lib/accounts/schema.ts";
import { env } from "@/lib/env.ts";
import { database } from "@/lib/web/database.ts";
import { personOf } from "@/lib/web/person.ts";
import { endpoint, route } from "@/lib/web/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "account:use",
      summary: "Keep the passkey that a browser made; sessions only",
      body: addPasskeySchema,
      output: passkeySchema,
      status: 201,
      errors: ["passkey_refused", "passkey_known"],
    },
    async ({ caller, body }) =>
      addPasskey(await database(), relyingParty(env().url), personOf(caller).user.id, body),
  ),
});
