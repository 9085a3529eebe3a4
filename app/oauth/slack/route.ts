import { env } from "@/lib/base/env.ts";
import { finishLink } from "@/lib/outbound/slack/account-writes.ts";
import type { LinkRefusal } from "@/lib/outbound/slack/slack-schema.ts";
import { arriving, backToChannels } from "@/lib/web/auth/arriving.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { services, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "none", summary: "The way back from Slack's sign-in, for browsers", status: 303 },
    async ({ request }) => backToChannels(env().url, "slack", (await arrive(request)) ?? "linked"),
  ),
});

/** Links the account for the member in whose browser Slack's answer arrives. Returns why not, or null. */
async function arrive(request: Request): Promise<LinkRefusal | null> {
  const arrived = await arriving(request);
  if (!arrived) return "signed_out";
  const { caller, principal, sessionId } = arrived;
  const { network, seal } = await services();
  const { slackUrl, url: appUrl } = env();
  const means = { network, seal, slackUrl, appUrl };
  const { searchParams } = new URL(request.url);
  return finishLink({ ...means, within: (work) => within(caller, work) }, principal, sessionId, searchParams);
}
