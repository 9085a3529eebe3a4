import { Prisma } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { database } from "../database.ts";
import type { Caller } from "./authenticate.ts";

/** Returns the caller's account and session. Throws `forbidden` for an API key, which has neither. */
export function personOf({ me, sessionId }: Caller): {
  user: { id: string; name: string; email: string };
  sessionId: string;
} {
  if (!me.user || !sessionId) throw new AppError("forbidden", "An API key has no account; people have.");
  return { user: me.user, sessionId };
}

/**
 * As `personOf`, for what concerns the account in all of its organizations. Throws `organization_session` for a session
 * that one organization's own provider vouches for: that organization's admins could have it opened.
 */
export async function accountOf(caller: Caller): Promise<ReturnType<typeof personOf>> {
  const person = personOf(caller);
  if (await staysInOrganization(person.sessionId))
    throw new AppError(
      "organization_session",
      "You signed in through your organization, which does not reach your account. Sign in with your own password or passkey.",
    );
  return person;
}

/** Whether a session stays inside the organization whose provider opened it. */
export async function staysInOrganization(sessionId: string): Promise<boolean> {
  const db = await database();
  const [row] = await db.gate<{ only: string | null }>(
    Prisma.sql`SELECT gate.only_organization(${sessionId}::uuid) AS only`,
  );
  return row?.only != null;
}
