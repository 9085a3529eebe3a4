import { env } from "@/lib/base/env.ts";
import { passkeyOptionsSchema } from "@/lib/people/accounts/account-schema.ts";
import { relyingParty, startPasskeySignIn } from "@/lib/people/accounts/passkeys.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { PASSKEY_CHALLENGE_MS, PASSKEY_CHALLENGES_PER_ADDRESS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary: "What a browser needs to sign in with a passkey, good for 5 minutes",
      output: passkeyOptionsSchema,
      rateLimit: { name: "passkey challenge", ...PASSKEY_CHALLENGES_PER_ADDRESS },
    },
    async () => {
      const party = relyingParty(env().url);
      const options = await startPasskeySignIn(await database(), party, PASSKEY_CHALLENGE_MS);
      return { options: { ...options } };
    },
  ),
});
