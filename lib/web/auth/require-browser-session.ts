/** Signing in at servers happens in a browser: what is needed of who does it. */

import type { Principal } from "../../access/principal.ts";
import { AppError } from "../../base/errors.ts";
import type { Caller } from "./authenticate.ts";

/** Throws `forbidden` for a key, which has no browser that could come back. */
export function requireBrowserSession({ principal, sessionId }: Caller): {
  principal: Principal & { userId: string };
  sessionId: string;
} {
  const { userId } = principal;
  if (userId === null || sessionId === null)
    throw new AppError("forbidden", "Only a member who is signed in can do this.");
  return { principal: { ...principal, userId }, sessionId };
}
