import { z } from "zod";
import { env } from "@/lib/base/env.ts";
import { makeOwnCertificate } from "@/lib/people/saml/certificate.ts";
import { listSamlProviders, readSamlProvider } from "@/lib/people/saml/saml-reads.ts";
import { createSamlProviderSchema, samlProviderSchema } from "@/lib/people/saml/saml-schema.ts";
import { createSamlProvider, describeIdp, requireWhole } from "@/lib/people/saml/saml-writes.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { network, sealing } from "@/lib/web/services.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";
import { SAML_CHANGES_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "saml:read",
      summary: "SAML providers, oldest first",
      output: z.object({ items: z.array(samlProviderSchema) }),
    },
    async (tx, { principal }) => ({
      items: await listSamlProviders(tx, principal, env().url),
    }),
  ),
  POST: route(
    {
      auth: "saml:manage",
      summary: "Let people sign in through the organization's own SAML identity provider",
      body: createSamlProviderSchema,
      output: samlProviderSchema,
      status: 201,
      stepUp: true,
      namedByKeys: true,
      errors: ["address_not_allowed", "invalid_metadata", "too_many_saml_providers", "throttled"],
    },
    async ({ caller, body }) => {
      await throttle(`saml changes ${caller.principal.organizationId}`, SAML_CHANGES_PER_CALLER);
      const idp = requireWhole(await describeIdp(network(), body));
      const own = await makeOwnCertificate(new Date());
      return within(caller, async (tx, principal) => {
        const id = await createSamlProvider(tx, principal, sealing(), idp, own, body);
        return readSamlProvider(tx, principal, env().url, id);
      });
    },
  ),
});
