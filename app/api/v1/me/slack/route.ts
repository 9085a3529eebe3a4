import { env } from "@/lib/base/env.ts";
import { linkSchema } from "@/lib/outbound/channel/account-schema.ts";
import { unlinkFrom } from "@/lib/outbound/channel/account-writes.ts";
import { SLACK } from "@/lib/outbound/channel/platforms.ts";
import { beginLink, readOwnSlack } from "@/lib/outbound/slack/account-writes.ts";
import { ownSlackSchema } from "@/lib/outbound/slack/slack-schema.ts";
import { requireBrowserSession } from "@/lib/web/auth/person.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { sealing } from "@/lib/web/services.ts";
import { within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    {
      auth: "account:use",
      summary: "Your linked Slack account, and the state of its messages; sessions only",
      output: ownSlackSchema,
    },
    ({ caller }) => {
      const { userId } = requireBrowserSession(caller).principal;
      return within(caller, (tx) => readOwnSlack(tx, userId));
    },
  ),
  POST: route(
    {
      auth: "account:use",
      summary: "Begin to link your Slack account: returns the address of Slack's sign-in; sessions only",
      stepUp: true,
      output: linkSchema,
    },
    ({ caller }) => {
      const { principal, sessionId } = requireBrowserSession(caller);
      const { organizationId, userId } = principal;
      const { slackUrl, url: appUrl } = env();
      return within(caller, async (tx) => ({
        url: await beginLink(
          tx,
          { organizationId, userId, sessionId },
          { seal: sealing(), slackUrl, appUrl },
        ),
      }));
    },
  ),
  DELETE: route(
    { auth: "account:use", summary: "Unlink your Slack account; sessions only" },
    async ({ caller }) => {
      const { principal } = requireBrowserSession(caller);
      await within(caller, (tx) => unlinkFrom(SLACK, tx, principal));
    },
  ),
});
