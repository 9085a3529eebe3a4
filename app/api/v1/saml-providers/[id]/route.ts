import { env } from "@/lib/base/env.ts";
import { readSamlProvider } from "@/lib/people/saml/saml-reads.ts";
import { samlProviderSchema, updateSamlProviderSchema } from "@/lib/people/saml/saml-schema.ts";
import { describeIdp, removeSamlProvider, updateSamlProvider } from "@/lib/people/saml/saml-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { network } from "@/lib/web/services.ts";
import { tenantRoute, within } from "@/lib/web/tenant.ts";
import { SAML_CHANGES_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    { auth: "saml:read", summary: "A SAML provider", params: idParams, output: samlProviderSchema },
    (tx, { principal, params }) => readSamlProvider(tx, principal, env().url, params.id),
  ),
  PATCH: route(
    {
      auth: "saml:manage",
      summary: "Change a SAML provider, also by its current metadata",
      params: idParams,
      body: updateSamlProviderSchema,
      output: samlProviderSchema,
      stepUp: true,
      namedByKeys: true,
      errors: ["address_not_allowed", "invalid_metadata", "other_idp", "throttled", "would_lock_out"],
    },
    async ({ caller, params, body }) => {
      await within(caller, (tx, principal) => readSamlProvider(tx, principal, env().url, params.id));
      await throttle(`saml changes ${caller.principal.organizationId}`, SAML_CHANGES_PER_CALLER);
      const idp = await describeIdp(network(), body);
      return within(caller, async (tx, principal) => {
        await updateSamlProvider(tx, principal, params.id, idp, body);
        return readSamlProvider(tx, principal, env().url, params.id);
      });
    },
  ),
  DELETE: tenantRoute(
    {
      auth: "saml:manage",
      summary: "Remove a SAML provider; its sessions end at once",
      params: idParams,
      stepUp: true,
      errors: ["would_lock_out"],
    },
    (tx, { principal, params }) => removeSamlProvider(tx, principal, params.id),
  ),
});
