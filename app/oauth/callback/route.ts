import { env } from "@/lib/base/env.ts";
import { type Arrival, finishConnecting } from "@/lib/servers/connections/callback.ts";
import { authenticate } from "@/lib/web/auth/authenticate.ts";
import { endpoint, route } from "@/lib/web/http/route.ts";
import { services } from "@/lib/web/tenant.ts";

/** The redirect URI of authorization servers. Redirects to a page of Intray whose URL lacks the code. */
export const { GET, POST, PUT, PATCH, DELETE } = endpoint({
  GET: route(
    { auth: "none", summary: "The way back from an authorization server, for browsers", status: 303 },
    async ({ request }) => {
      const caller = request.headers.has("authorization") ? null : await authenticate(request);
      const { principal, sessionId } = caller ?? {};
      if (!principal?.userId || principal.isView || !sessionId)
        return seeOther("/servers?refused=signed_out");
      const { userId } = principal;
      const query = new URL(request.url).searchParams;
      return seeOther(
        placeOf(await finishConnecting(await services(), { ...principal, userId }, sessionId, query)),
      );
    },
  ),
});

function placeOf({ serverId, refused }: Arrival): string {
  const page = serverId === null ? "/servers" : `/servers/${serverId}`;
  return refused === null ? `${page}?connected` : `${page}?refused=${refused}`;
}

function seeOther(path: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location: `${env().url}${path}`, "referrer-policy": "no-referrer" },
  });
}
