import { env } from "@/lib/base/env.ts";
import { AppError } from "@/lib/base/errors.ts";
import { finishLink } from "@/lib/outbound/slack/account-writes.ts";
import type { LinkRefusal } from "@/lib/outbound/slack/slack-schema.ts";
import { authenticate } from "@/lib/web/auth/authenticate.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { services, within } from "@/lib/web/tenant.ts";

export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "none", summary: "The way back from Slack's sign-in, for browsers", status: 303 },
    async ({ request }) => {
      const refused = await arrive(request);
      const place = `${env().url}/settings/channels?slack=${refused ?? "linked"}`;
      return new Response(null, {
        status: 303,
        headers: { location: place, "referrer-policy": "no-referrer" },
      });
    },
  ),
});

/** Links the account for the member in whose browser Slack's answer arrives. Returns why not, or null. */
async function arrive(request: Request): Promise<LinkRefusal | null> {
  const caller = request.headers.has("authorization") ? null : await authenticate(request).catch(asNobody);
  const { principal, sessionId } = caller ?? {};
  if (!caller || !principal?.userId || principal.isView || !sessionId) return "signed_out";
  const { network, seal } = await services();
  const { slackUrl, url: appUrl } = env();
  const arriving = {
    network,
    seal,
    slackUrl,
    appUrl,
    within: <T>(work: Parameters<typeof within<T>>[1]) => within(caller, work),
  };
  const { searchParams } = new URL(request.url);
  return finishLink(arriving, { ...principal, userId: principal.userId }, sessionId, searchParams);
}

/** Whoever is refused, as from a network outside of the organization's, is told to sign in. */
function asNobody(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}
