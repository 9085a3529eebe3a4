import { securitySchema } from "@/lib/people/accounts/account-schema.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { readSecurity } from "@/lib/web/auth/security.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "account:use", summary: "How you can sign in; sessions only", output: securitySchema },
    async ({ caller }) => readSecurity((await accountOf(caller)).user.id),
  ),
});
