import { SESSION_IDLE_MS } from "@/lib/people/accounts/sessions.ts";
import { listMemberSessions } from "@/lib/people/members/member-reads.ts";
import { memberSessionsSchema } from "@/lib/people/members/member-schema.ts";
import { endMemberSessions } from "@/lib/people/members/member-writes.ts";
import { endpoint, idParams } from "@/lib/web/http/route.ts";
import { tenantRoute } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: tenantRoute(
    {
      auth: "members:manage",
      summary: "A member's sessions that work in this organization now, newest first",
      params: idParams,
      output: memberSessionsSchema,
    },
    async (tx, { principal, params }) => ({
      items: await listMemberSessions(tx, principal, params.id, SESSION_IDLE_MS),
    }),
  ),
  DELETE: tenantRoute(
    {
      auth: "members:manage",
      summary:
        "End all sessions of a member for this organization. They continue in the member's other organizations",
      params: idParams,
    },
    async (tx, { principal, params }) => {
      const all = { sessionId: null, idleMs: SESSION_IDLE_MS };
      await endMemberSessions(tx, principal, params.id, all);
    },
  ),
});
