import { listMemberSessions } from "@/lib/people/members/member-reads.ts";
import { memberSessionsSchema } from "@/lib/people/members/member-schema.ts";
import { endMemberSessions } from "@/lib/people/members/member-writes.ts";
import { endpoint, idParams, route } from "@/lib/web/http/route.ts";
import { within } from "@/lib/web/tenant.ts";
import { SESSION_IDLE_MS } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "members:manage",
      summary: "A member's sessions that work in this organization now, newest first",
      params: idParams,
      output: memberSessionsSchema,
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => ({
        items: await listMemberSessions(tx, principal, params.id, SESSION_IDLE_MS),
      })),
  ),
  DELETE: route(
    {
      auth: "members:manage",
      summary: "End all sessions of a member for this organization. In others of theirs they go on",
      params: idParams,
    },
    ({ caller, params }) =>
      within(caller, async (tx, principal) => {
        const all = { sessionId: null, idleMs: SESSION_IDLE_MS };
        await endMemberSessions(tx, principal, params.id, all);
        return undefined;
      }),
  ),
});
