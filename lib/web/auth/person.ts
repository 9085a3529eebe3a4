import { AppError } from "../../base/errors.ts";
import type { Caller } from "./authenticate.ts";

/** Whose account a call is about, and the session it came by. Throws `forbidden` for an API key, which has none. */
export function personOf({ me, sessionId }: Caller): {
  user: { id: string; name: string; email: string };
  sessionId: string;
} {
  if (!me.user || !sessionId) throw new AppError("forbidden", "An API key has no account; people have.");
  return { user: me.user, sessionId };
}
