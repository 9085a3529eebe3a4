import { endView } from "@/lib/people/members/view-as.ts";
import { signedInPerson } from "@/lib/web/auth/person.ts";
import { database } from "@/lib/web/database.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route({ auth: "any", summary: "Stop viewing as a member", inView: true }, async ({ caller }) => {
    const { sessionId } = signedInPerson(caller);
    const { principal } = caller;
    const { organizationId } = principal;
    const db = await database();
    await db.withOrganization(organizationId, (tx) => endView(tx, principal, sessionId));
  }),
});
