import { z } from "zod";
import { SESSION_IDLE_MS } from "@/lib/people/accounts/sessions.ts";
import { endMemberSessions } from "@/lib/people/members/member-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  DELETE: route(
    {
      auth: "members:manage",
      summary:
        "End one session of a member for this organization. It continues in the member's other organizations",
      params: idParams.extend({ sessionId: z.uuid() }),
    },
    ({ caller, params: { id, sessionId } }) =>
      within(caller, (tx, principal) =>
        endMemberSessions(tx, principal, id, { sessionId, idleMs: SESSION_IDLE_MS }),
      ),
  ),
});
