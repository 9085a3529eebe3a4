import { unlinkIdentity } from "@/lib/people/saml/people.ts";
import { readSamlName } from "@/lib/people/saml/saml-reads.ts";
import { accountOf } from "@/lib/web/auth/person.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    {
      auth: "account:use",
      summary: "Unlink your account from a SAML provider; sessions only",
      params: idParams,
      stepUp: true,
      errors: ["organization_session"],
    },
    async ({ caller, params }) => {
      const { user } = await accountOf(caller);
      await within(caller, (tx) => readSamlName(tx, params.id));
      await unlinkIdentity(await database(), user.id, params.id);
    },
  ),
});
