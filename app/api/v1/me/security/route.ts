import { securitySchema } from "@/lib/accounts/schema.ts";
import { personOf } from "@/lib/web/auth/person.ts";
import { readSecurity } from "@/lib/web/auth/security.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "account:use", summary: "How you can sign in; sessions only", output: securitySchema },
    ({ caller }) => readSecurity(personOf(caller).user.id),
  ),
});
