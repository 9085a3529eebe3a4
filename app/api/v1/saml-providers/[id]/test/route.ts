import { samlStartSchema } from "@/lib/people/saml/saml-schema.ts";
import { signedInPerson } from "@/lib/web/auth/person.ts";
import { beginSaml } from "@/lib/web/auth/sign-in/saml.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "saml:manage",
      summary: "Begin a test sign-in in this browser, which signs nobody in; sessions only",
      params: idParams,
      output: samlStartSchema,
    },
    async ({ request, caller, params, reply }) => {
      const { user } = signedInPerson(caller);
      const begun = { purpose: "test" as const, userId: user.id, callback: "/settings/saml" };
      const { url, setCookie } = await beginSaml(request, caller.principal.organizationId, params.id, begun);
      reply.headers.append("set-cookie", setCookie);
      return { url };
    },
  ),
});
