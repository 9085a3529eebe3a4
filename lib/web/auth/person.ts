import { AppError } from "../../base/errors.ts";
import type { Caller } from "./authenticate.ts";

/** Returns the caller's account and session. Throws `forbidden` for an API key, which has neither. */
export function personOf({ me, sessionId }: Caller): {
  user: { id: string; name: string; email: string };
  sessionId: string;
} {
  if (!me.user || !sessionId) throw new AppError("forbidden", "An API key has no account; people have.");
  return { user: me.user, sessionId };
}
