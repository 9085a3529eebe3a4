import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { authenticate, type Caller } from "../auth/authenticate.ts";
import { within } from "../tenant.ts";

/**
 * As `within`, for one piece of an export, which lasts for as long as its reader takes. The caller is looked up again
 * before each piece, so that nobody goes on reading with a key or a session that has ended, or with rights that were
 * taken. Throws `unauthenticated`, which breaks the transfer off.
 */
export async function withinStill<T>(
  caller: Caller,
  request: Request,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const now = await authenticate(request, { isUse: false });
  if (!now || rightsOf(now) !== rightsOf(caller))
    throw new AppError(
      "unauthenticated",
      "The credential of this export has ended, or has other rights now.",
    );
  return within(now, work);
}

function rightsOf({ principal: { organizationId, userId, role, actor, isView, scope } }: Caller): string {
  return JSON.stringify([organizationId, userId, role, actor.kind, actor.id, isView ?? false, scope ?? null]);
}
