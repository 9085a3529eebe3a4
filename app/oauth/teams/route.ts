import { env } from "@/lib/base/env.ts";
import { finishTeamsLink } from "@/lib/outbound/teams/account-writes.ts";
import { teamsCloud } from "@/lib/outbound/teams/cloud.ts";
import type { LinkRefusal } from "@/lib/outbound/teams/teams-schema.ts";
import { arriving, backToChannels } from "@/lib/web/auth/arriving.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { services, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "none", summary: "The way back from Microsoft's sign-in, for browsers", status: 303 },
    async ({ request }) => backToChannels(env().url, "teams", (await arrive(request)) ?? "linked"),
  ),
});

/** Links the account for the member in whose browser Microsoft's answer arrives. Returns why not, or null. */
async function arrive(request: Request): Promise<LinkRefusal | null> {
  const arrived = await arriving(request);
  if (!arrived) return "signed_out";
  const { caller, principal, sessionId } = arrived;
  const { network, seal } = await services();
  const { teamsCloud: cloud, url: appUrl } = env();
  const means = { network, seal, cloud: teamsCloud(cloud), appUrl };
  const { searchParams } = new URL(request.url);
  return finishTeamsLink(
    { ...means, within: (work) => within(caller, work) },
    principal,
    sessionId,
    searchParams,
  );
}
