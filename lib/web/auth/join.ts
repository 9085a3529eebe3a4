import { Prisma } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { join } from "../../invitations/join.ts";
import { findInvitation } from "../../invitations/queries.ts";
import { database } from "../database.ts";
import { refuseCrossSite } from "../http/same-origin.ts";
import { viewOnly } from "../http/view-only.ts";
import { refuseForeignSignIn } from "./refuse-foreign-sign-in.ts";
import { cookieOf, personOf, sessionCookieName, sessionOf } from "./session-cookie.ts";

/**
 * Makes the signed-in person a member, and switches their session to the organization joined. Refused while they
 * look as a member, like every other write, and for a session that the organization would not let in.
 */
export async function joinAsPerson(request: Request, token: string): Promise<void> {
  const cookie = cookieOf(request, sessionCookieName());
  const person = await personOf(cookie);
  if (!person) throw new AppError("unauthenticated", "Sign in first.");
  if ((await sessionOf(cookie))?.view) throw viewOnly();
  refuseCrossSite(request);
  const db = await database();
  const found = await findInvitation(db, token);
  if (found) await refuseForeignSignIn(person.sessionId, found);
  const organizationId = await join(db, person, token);
  await db.gate(
    Prisma.sql`SELECT gate.choose_organization(${person.sessionId}::uuid, ${organizationId}::uuid) AS chosen`,
  );
}
