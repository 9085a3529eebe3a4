import { codeInputSchema, recoveryCodesSchema } from "@/lib/people/accounts/account-schema.ts";
import { replaceRecoveryCodes } from "@/lib/people/accounts/second-factor.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { sealing } from "@/lib/web/services.ts";
import { CODES_PER_ACCOUNT } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "account:use",
      summary: "Ten new recovery codes, which are shown only once and replace the old ones; sessions only",
      body: codeInputSchema,
      output: recoveryCodesSchema,
      errors: ["wrong_code", "second_factor_off", "throttled"],
    },
    async ({ caller, body }) => {
      const { user } = await accountOf(caller);
      await throttle(`code ${user.id}`, CODES_PER_ACCOUNT);
      const recoveryCodes = await replaceRecoveryCodes(await database(), sealing(), user.id, body.code);
      return { recoveryCodes };
    },
  ),
});
