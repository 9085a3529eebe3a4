/** Who comes back by browser from another site’s sign-in that they began in a session. */
import type { Principal } from "../../access/principal.ts";
import { AppError } from "../../base/errors.ts";
import { authenticate, type Caller } from "./authenticate.ts";

interface Arriving {
  caller: Caller;
  principal: Principal & { userId: string };
  sessionId: string;
}

/** Null: nobody is signed in here, or an admin looks at the screens of a member. */
export async function arriving(request: Request): Promise<Arriving | null> {
  const caller = request.headers.has("authorization") ? null : await authenticate(request).catch(asNobody);
  const { principal, sessionId } = caller ?? {};
  if (!caller || !principal?.userId || principal.isView || !sessionId) return null;
  return { caller, principal: { ...principal, userId: principal.userId }, sessionId };
}

/** Whoever is refused, as from a network outside of the organization's, is told to sign in. */
function asNobody(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

/** The answer that leads the browser back to the person’s channels, and says what came of it. */
export function backToChannels(appUrl: string, platform: string, came: string): Response {
  return new Response(null, {
    status: 303,
    headers: {
      location: `${appUrl}/settings/channels?${platform}=${came}`,
      "referrer-policy": "no-referrer",
    },
  });
}
