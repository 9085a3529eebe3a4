import { env } from "@/lib/base/env.ts";
import { linkSchema } from "@/lib/outbound/channel/account-schema.ts";
import { unlinkFrom } from "@/lib/outbound/channel/account-writes.ts";
import { TEAMS } from "@/lib/outbound/channel/platforms.ts";
import { beginTeamsLink, readOwnTeams } from "@/lib/outbound/teams/account-writes.ts";
import { teamsCloud } from "@/lib/outbound/teams/cloud.ts";
import { ownTeamsSchema } from "@/lib/outbound/teams/teams-schema.ts";
import { requireBrowserSession } from "@/lib/web/auth/person.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "Your linked Teams account, and the state of its messages; sessions only",
      output: ownTeamsSchema,
    },
    ({ caller }) => {
      const { userId } = requireBrowserSession(caller).principal;
      return within(caller, (tx) => readOwnTeams(tx, userId));
    },
  ),
  POST: route(
    {
      auth: "account:use",
      summary: "Begin to link your Teams account: returns the address of Microsoft's sign-in; sessions only",
      stepUp: true,
      output: linkSchema,
    },
    ({ caller }) => {
      const { principal, sessionId } = requireBrowserSession(caller);
      const { organizationId, userId } = principal;
      const using = { seal: sealing(), cloud: teamsCloud(env().teamsCloud), appUrl: env().url };
      return within(caller, async (tx) => ({
        url: await beginTeamsLink(tx, { organizationId, userId, sessionId }, using),
      }));
    },
  ),
  DELETE: route(
    { auth: "account:use", summary: "Unlink your Teams account; sessions only" },
    async ({ caller }) => {
      const { principal } = requireBrowserSession(caller);
      await within(caller, (tx) => unlinkFrom(TEAMS, tx, principal));
    },
  ),
});
