import { giveFactorSchema, stepUpSchema } from "@/lib/people/accounts/account-schema.ts";
import { giveFactor, readStepUp } from "@/lib/web/auth/step-up.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      whileRefused: true,
      summary: "How you can confirm that it is you, and whether you have to now; sessions only",
      output: stepUpSchema,
    },
    ({ caller }) => readStepUp(caller),
  ),
  POST: route(
    {
      auth: "account:use",
      whileRefused: true,
      summary:
        "Confirm that it is you with your password, a code or a passkey. This counts for 5 minutes; sessions only",
      body: giveFactorSchema,
      errors: ["wrong_password", "wrong_code", "passkey_refused", "second_factor_off", "throttled"],
    },
    ({ caller, body }) => giveFactor(caller, body),
  ),
});
