/** Guards sign-ins at servers, which happen in a browser. */

import type { Principal } from "../../access/principal.ts";
import { AppError } from "../../base/errors.ts";
import type { Caller } from "./authenticate.ts";

/** Throws `forbidden` for an API key, which has no browser to return to. */
export function requireBrowserSession({ principal, sessionId }: Caller): {
  principal: Principal & { userId: string };
  sessionId: string;
} {
  const { userId } = principal;
  if (userId === null || sessionId === null)
    throw new AppError("forbidden", "Only a member who is signed in can do this.");
  return { principal: { ...principal, userId }, sessionId };
}
