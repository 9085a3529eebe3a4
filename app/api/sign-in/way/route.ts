import { z } from "zod";
import { emailSchema } from "@/lib/people/members/member-schema.ts";
import { namedProviderSchema } from "@/lib/people/organizations/sign-in/sign-in-schema.ts";
import { wayOf } from "@/lib/web/auth/sign-in/providers.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { SIGN_IN_WAYS_PER_ORIGIN } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "none",
      summary:
        "The sign-in providers of an address's domain, if its organization requires single sign-on. The reply is the same whether or not somebody has the address",
      body: z.strictObject({ email: emailSchema }),
      output: z.object({ organizationId: z.uuid().nullable(), providers: z.array(namedProviderSchema) }),
      rateLimit: { name: "sign-in way", ...SIGN_IN_WAYS_PER_ORIGIN },
    },
    ({ body }) => wayOf(body.email),
  ),
});
