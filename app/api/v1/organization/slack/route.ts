import { env } from "@/lib/base/env.ts";
import { updateAppSchema } from "@/lib/outbound/channel/account-schema.ts";
import { allowText, removeApp } from "@/lib/outbound/channel/app-writes.ts";
import { SLACK } from "@/lib/outbound/channel/platforms.ts";
import { askWorkspace, readSlack, setUpSlack } from "@/lib/outbound/slack/app-writes.ts";
import { setUpSlackSchema, slackSchema } from "@/lib/outbound/slack/slack-schema.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { throttle } from "@/lib/web/http/throttle.ts";
import { services, within } from "@/lib/web/tenant.ts";
import { CHECKS_PER_CALLER } from "@/lib/web/tunables.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "settings:manage",
      summary: "The organization's Slack app, and the manifest with which an admin makes it",
      output: slackSchema,
    },
    ({ caller }) => within(caller, (tx) => readSlack(tx, env().url)),
  ),
  PUT: route(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      summary: "Set Slack up with the secrets of an app. Intray checks the token at Slack",
      body: setUpSlackSchema,
      output: slackSchema,
      errors: ["slack_refused", "server_unavailable", "throttled"],
    },
    async ({ caller, body }) => {
      await throttle(`check ${caller.principal.actor.id}`, CHECKS_PER_CALLER);
      const { network, seal } = await services();
      const workspace = await askWorkspace({ network, slackUrl: env().slackUrl }, body.botToken);
      return within(caller, async (tx, principal) => {
        await setUpSlack(tx, principal, seal, body, workspace);
        return readSlack(tx, env().url);
      });
    },
  ),
  PATCH: route(
    {
      auth: "settings:manage",
      stepUp: true,
      namedByKeys: true,
      summary: "Allow or forbid the text of questions in Slack",
      body: updateAppSchema,
      output: slackSchema,
    },
    ({ caller, body }) =>
      within(caller, async (tx, principal) => {
        await allowText(SLACK, tx, principal, body);
        return readSlack(tx, env().url);
      }),
  ),
  DELETE: route(
    {
      auth: "settings:manage",
      summary: "Remove Slack, with all linked accounts. Messages that were posted stay",
    },
    ({ caller }) => within(caller, (tx, principal) => removeApp(SLACK, tx, principal)),
  ),
});
