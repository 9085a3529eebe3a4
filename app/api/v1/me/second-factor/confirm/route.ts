import { codeInputSchema, recoveryCodesSchema } from "@/lib/people/accounts/account-schema.ts";
import { confirmSecondFactor } from "@/lib/people/accounts/second-factor.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { markSecondFactor } from "@/lib/web/auth/sessions.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { sealing } from "@/lib/web/services.ts";
import { CODES_PER_ACCOUNT } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "account:use",
      whileRefused: true,
      summary:
        "Turn two-step sign-in on with a first code; the recovery codes are shown only once; sessions only",
      body: codeInputSchema,
      output: recoveryCodesSchema,
      errors: ["wrong_code", "second_factor_on", "throttled"],
    },
    async ({ caller, body }) => {
      const { user, sessionId } = await accountOf(caller);
      await throttle(`code ${user.id}`, CODES_PER_ACCOUNT);
      const db = await database();
      const recoveryCodes = await confirmSecondFactor(db, sealing(), user.id, body.code);
      await markSecondFactor(sessionId, user.id);
      return { recoveryCodes };
    },
  ),
});
