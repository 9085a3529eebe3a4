/** The person and the credential behind a call. */

import type { Principal } from "../../access/principal.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { database } from "../database.ts";
import type { Caller } from "./authenticate.ts";

/** Returns the caller's account and session. Throws `forbidden` for an API key, which has neither. */
export function signedInPerson({ me, sessionId }: Caller): {
  user: { id: string; name: string; email: string };
  sessionId: string;
} {
  if (!me.user || !sessionId) throw new AppError("forbidden", "An API key has no account; people have.");
  return { user: me.user, sessionId };
}

/**
 * As `signedInPerson`, for what concerns the account in all of its organizations. Throws `organization_session` for a session
 * that one organization's own provider vouches for: that organization's admins could have it opened.
 */
export async function accountOf(caller: Caller): Promise<ReturnType<typeof signedInPerson>> {
  const person = signedInPerson(caller);
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

/** For sign-ins at servers, which happen in a browser. Throws `forbidden` for an API key, which has none to return to. */
export function requireBrowserSession({ principal, sessionId }: Caller): {
  principal: Principal & { userId: string };
  sessionId: string;
} {
  const { userId } = principal;
  if (userId === null || sessionId === null)
    throw new AppError("forbidden", "Only a member who is signed in can do this.");
  return { principal: { ...principal, userId }, sessionId };
}

/**
 * Keeps the caller's session or key from ending before the transaction does. A call that makes another way in (a key,
 * an invitation) needs it: else one that began before the caller's account was replaced could leave something behind.
 * Throws `unauthenticated` if it has ended.
 */
export async function holdCredential(tx: Tx, { sessionId, principal }: Caller): Promise<void> {
  const [row] = await tx.$queryRaw<{ held: boolean }[]>(
    sessionId !== null
      ? Prisma.sql`SELECT gate.hold_session(${sessionId}::uuid) AS held`
      : Prisma.sql`SELECT true AS held FROM api_key WHERE organization_id = ${tx.organizationId}::uuid
          AND id = ${principal.actor.id}::uuid AND revoked_at IS NULL FOR SHARE`,
  );
  if (!row?.held) throw new AppError("unauthenticated", "Sign in, or send an API key as a Bearer token.");
}
