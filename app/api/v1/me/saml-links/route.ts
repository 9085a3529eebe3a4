import { listSamlLinks } from "@/lib/people/saml/saml-reads.ts";
import { createSamlLinkSchema, samlLinksSchema, samlStartSchema } from "@/lib/people/saml/saml-schema.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { beginSaml } from "@/lib/web/auth/sign-in/saml.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "The organization's SAML providers, and which your account is linked to; sessions only",
      output: samlLinksSchema,
      errors: ["organization_session"],
    },
    async ({ caller }) => {
      const { user } = await accountOf(caller);
      return within(caller, async (tx) => ({
        items: await listSamlLinks(tx, user.id),
      }));
    },
  ),
  POST: route(
    {
      auth: "account:use",
      summary: "Begin to link your account to a SAML provider in this browser; sessions only",
      body: createSamlLinkSchema,
      output: samlStartSchema,
      stepUp: true,
      errors: ["organization_session"],
    },
    async ({ request, caller, body, reply }) => {
      const { user } = await accountOf(caller);
      const begun = { purpose: "link" as const, userId: user.id, callback: "/settings/security" };
      const { url, setCookie } = await beginSaml(
        request,
        caller.principal.organizationId,
        body.samlProviderId,
        begun,
      );
      reply.headers.append("set-cookie", setCookie);
      return { url };
    },
  ),
});
