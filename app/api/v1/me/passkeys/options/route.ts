import { env } from "@/lib/base/env.ts";
import { passkeyOptionsSchema, proofSchema } from "@/lib/people/accounts/account-schema.ts";
import { relyingParty, startPasskey } from "@/lib/people/accounts/passkeys.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { refuseWithoutProof } from "@/lib/web/auth/step-up.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { PASSKEY_CHALLENGE_MS, PROOFS_PER_ACCOUNT } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "account:use",
      summary: "What a browser needs to make a passkey, good for 5 minutes; sessions only",
      body: proofSchema,
      output: passkeyOptionsSchema,
      errors: ["wrong_password", "step_up_required", "too_many_passkeys", "throttled"],
    },
    async ({ caller, body }) => {
      const { user } = await accountOf(caller);
      await throttle(`proof ${user.id}`, PROOFS_PER_ACCOUNT);
      const db = await database();
      await refuseWithoutProof(caller, body.currentPassword);
      const options = await startPasskey(db, relyingParty(env().url), user, PASSKEY_CHALLENGE_MS);
      return { options: { ...options } };
    },
  ),
});
