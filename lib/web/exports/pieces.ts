/** Exports in pieces: read as the client takes them, each with the rights that the caller has then. */
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { authenticate, type Caller } from "../auth/authenticate.ts";
import { within } from "../tenant.ts";

/** Streams a file whose pieces are read as the client takes them. */
export function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

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
