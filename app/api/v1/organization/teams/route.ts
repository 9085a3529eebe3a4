import { env } from "@/lib/base/env.ts";
import { updateAppSchema } from "@/lib/outbound/channel/account-schema.ts";
import { allowText, removeApp } from "@/lib/outbound/channel/app-writes.ts";
import { TEAMS } from "@/lib/outbound/channel/platforms.ts";
import { checkTeams, readTeams, setUpTeams } from "@/lib/outbound/teams/app-writes.ts";
import { teamsCloud } from "@/lib/outbound/teams/cloud.ts";
import { setUpTeamsSchema, teamsSchema } from "@/lib/outbound/teams/teams-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services, within } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "The organization's Teams app, and the addresses with which an admin registers it",
      output: teamsSchema,
    },
    ({ caller }) => within(caller, (tx) => readTeams(tx, env().url)),
  ),
  PUT: route(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      summary: "Set Teams up with the secret of a registered app. Intray checks the secret at Microsoft",
      body: setUpTeamsSchema,
      output: teamsSchema,
      errors: ["teams_refused", "server_unavailable", "throttled"],
    },
    async ({ caller, body }) => {
      await throttle(`check ${caller.principal.actor.id}`, CHECKS_PER_CALLER);
      const { network, seal } = await services();
      const access = await checkTeams({ network, cloud: teamsCloud(env().teamsCloud) }, body);
      return within(caller, async (tx, principal) => {
        await setUpTeams(tx, principal, seal, body, access);
        return readTeams(tx, env().url);
      });
    },
  ),
  PATCH: route(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      summary: "Allow or forbid the text of questions in Teams",
      body: updateAppSchema,
      output: teamsSchema,
    },
    ({ caller, body }) =>
      within(caller, async (tx, principal) => {
        await allowText(TEAMS, tx, principal, body);
        return readTeams(tx, env().url);
      }),
  ),
  DELETE: route(
    {
      auth: "settings:manage",
      summary: "Remove Teams, with all linked accounts. Messages that were posted stay",
    },
    ({ caller }) => within(caller, (tx, principal) => removeApp(TEAMS, tx, principal)),
  ),
});
