import { env } from "@/lib/base/env.ts";
import { readSamlProvider } from "@/lib/people/saml/saml-reads.ts";
import { samlProviderSchema } from "@/lib/people/saml/saml-schema.ts";
import { confirmSamlProvider } from "@/lib/people/saml/saml-writes.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "saml:manage",
      summary: "Confirm that a SAML provider is the organization's. Somebody else must have set it up",
      params: idParams,
      output: samlProviderSchema,
      stepUp: true,
      errors: ["same_maker", "nothing_to_confirm", "organization_session"],
    },
    async ({ caller, params }) => {
      // Refuses a SAML session: a person who controls the provider could sign in as any other owner.
      await accountOf(caller);
      return within(caller, async (tx, principal) => {
        await confirmSamlProvider(tx, principal, params.id);
        return readSamlProvider(tx, principal, env().url, params.id);
      });
    },
  ),
});
