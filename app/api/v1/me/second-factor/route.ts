import { proofSchema, startedSecondFactorSchema } from "@/lib/people/accounts/account-schema.ts";
import { startSecondFactor } from "@/lib/people/accounts/second-factor.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { refuseWithoutProof } from "@/lib/web/auth/step-up.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { sealing } from "@/lib/web/services.ts";
import { PROOFS_PER_ACCOUNT } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "account:use",
      whileRefused: true,
      summary:
        "Begin two-step sign-in: a secret for an authenticator app. It has no effect until you confirm it; sessions only",
      body: proofSchema,
      output: startedSecondFactorSchema,
      errors: ["wrong_password", "step_up_required", "second_factor_on", "throttled"],
    },
    async ({ caller, body }) => {
      const { user } = await accountOf(caller);
      await throttle(`proof ${user.id}`, PROOFS_PER_ACCOUNT);
      const db = await database();
      await refuseWithoutProof(caller, body.currentPassword);
      return startSecondFactor(db, sealing(), user);
    },
  ),
});
