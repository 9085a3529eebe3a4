import { env } from "@/lib/base/env.ts";
import { AppError } from "@/lib/base/errors.ts";
import { type Arrival, finishConnecting } from "@/lib/servers/connections/callback.ts";
import { authenticate } from "@/lib/web/auth/authenticate.ts";
import { services } from "@/lib/web/tenant.ts";

/** Processes the answer of an authorization server. Redirects to a page of Intray whose URL lacks the code. */
export async function arrive(request: Request): Promise<Response> {
  const caller = request.headers.has("authorization") ? null : await authenticate(request).catch(asNobody);
  const { principal, sessionId } = caller ?? {};
  if (!principal?.userId || principal.isView || !sessionId) return seeOther("/servers?refused=signed_out");
  const { userId } = principal;
  const url = new URL(request.url);
  return seeOther(
    placeOf(await finishConnecting(await services(), { ...principal, userId }, sessionId, url)),
  );
}

/** Shows a page with the reason if the person is refused, for example outside of the organization's networks. */
function asNobody(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

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
