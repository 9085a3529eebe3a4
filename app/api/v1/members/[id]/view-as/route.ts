import { viewAsSchema } from "@/lib/people/members/member-schema.ts";
import { beginView } from "@/lib/people/members/view-as.ts";
import { signedInPerson } from "@/lib/web/auth/person.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: tenantRoute(
    {
      auth: "members:manage",
      stepUp: true,
      summary: "View as a member, read only, for 15 minutes; recorded",
      params: idParams,
      output: viewAsSchema,
    },
    async (tx, { principal, caller, params }) => {
      const { sessionId } = signedInPerson(caller);
      return beginView(tx, principal, sessionId, params.id);
    },
  ),
});
