import { securitySchema } from "@/lib/accounts/schema.ts";
import { personOf } from "@/lib/web/person.ts";
import { endpoint, route } from "@/lib/web/route.ts";
import { readSecurity } from "@/lib/web/security.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "account:use", summary: "How you can sign in; sessions only", output: securitySchema },
    ({ caller }) => readSecurity(personOf(caller).user.id),
  ),
});
