import type { Actor } from "../../../access/access-schema.ts";
import { Prisma } from "../../../base/db/db.ts";
import { AppError } from "../../../base/errors.ts";
import { findInvitation } from "../../../people/invitations/invitation-reads.ts";
import { join } from "../../../people/invitations/join.ts";
import { refuseOutside } from "../../../people/organizations/addresses.ts";
import { database } from "../../database.ts";
import { clientAddress } from "../../http/caller/client-address.ts";
import { refuseCrossSite } from "../../http/same-origin.ts";
import { viewOnly } from "../../http/view-only.ts";
import { refuseForeignSignIn } from "../refuse-foreign-sign-in.ts";
import { cookieOf, personOf, sessionCookieName, sessionOf } from "../session-cookie.ts";

/**
 * Makes the signed-in person a member, and switches their session to the organization joined. Refused while they
 * look as a member, like every other write, and for a session that the organization would not let in.
 */
export async function joinAsPerson(request: Request, token: string): Promise<void> {
  const cookie = cookieOf(request, sessionCookieName());
  const person = await personOf(cookie);
  if (!person) throw new AppError("unauthenticated", "Sign in first.");
  const address = clientAddress(request.headers.get("x-forwarded-for"));
  // Where the session's present organization is not reached from here, another may be joined all the same.
  if ((await sessionOf(cookie, address, { anywhere: true }))?.view) throw viewOnly();
  refuseCrossSite(request);
  await refuseJoinFromOutside(request, token, { kind: "member", id: person.id, name: person.name });
  const db = await database();
  const found = await findInvitation(db, token);
  if (found) await refuseForeignSignIn(person.sessionId, found);
  const organizationId = await join(db, person, token);
  await db.gate(
    Prisma.sql`SELECT gate.choose_organization(${person.sessionId}::uuid, ${organizationId}::uuid) AS chosen`,
  );
}

/** Throws `address_not_allowed_for_organization`: nobody joins an organization from where it is not reached. */
export async function refuseJoinFromOutside(request: Request, token: string, actor: Actor): Promise<void> {
  const db = await database();
  const found = await findInvitation(db, token);
  const address = clientAddress(request.headers.get("x-forwarded-for"));
  if (found) await refuseOutside(db, found.organizationId, address, actor);
}
