import { changePasswordSchema } from "@/lib/people/accounts/account-schema.ts";
import { changePassword } from "@/lib/people/accounts/password.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { refuseWithoutCode } from "@/lib/web/auth/step-up.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { PROOFS_PER_ACCOUNT } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "account:use",
      summary: "Change your password, which ends your other sessions; sessions only",
      body: changePasswordSchema,
      errors: ["wrong_password", "no_password", "step_up_required", "throttled"],
    },
    async ({ caller, body }) => {
      const { user, sessionId } = await accountOf(caller);
      await throttle(`proof ${user.id}`, PROOFS_PER_ACCOUNT);
      await refuseWithoutCode(caller);
      return changePassword(await database(), user, sessionId, body);
    },
  ),
});
