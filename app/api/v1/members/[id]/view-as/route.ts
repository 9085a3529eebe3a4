import { viewAsSchema } from "@/lib/members/schema.ts";
import { beginView } from "@/lib/members/view-as.ts";
import { personOf } from "@/lib/web/auth/person.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  POST: route(
    {
      auth: "members:manage",
      summary: "Look at lists as a member would, read only, for a quarter of an hour; it is noted",
      params: idParams,
      output: viewAsSchema,
    },
    ({ caller, params }) =>
      within(caller, async (organizationId, tx, principal) => {
        const { sessionId } = personOf(caller);
        return beginView(organizationId, tx, principal, sessionId, params.id);
      }),
  ),
});
