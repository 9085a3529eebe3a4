/** Joining an organization by an invitation's link. */

import type { Actor } from "../../access/access-schema.ts";
import type { Role } from "../../access/roles.ts";
import { Prisma } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { findInvitation } from "../../people/invitations/invitation-reads.ts";
import type { LookedAtInvitation } from "../../people/invitations/invitation-schema.ts";
import { linkExpired } from "../../people/invitations/invitation-writes.ts";
import { join, mayJoin } from "../../people/invitations/join.ts";
import { refuseOutside } from "../../people/organizations/addresses.ts";
import { readSignInPolicy } from "../../people/organizations/sign-in/sign-in-policy.ts";
import type { RefusalKind } from "../../people/organizations/sign-in/sign-in-schema.ts";
import { signInRefused } from "../../people/organizations/sign-in/sign-in-status.ts";
import { maskedEmail } from "../../text/mask.ts";
import { database } from "../database.ts";
import { clientAddress } from "../http/client-address.ts";
import { refuseCrossSite, viewOnly } from "../http/session-refusals.ts";
import { cookieOf, personOf, sessionCookieName, sessionOf } from "./session-cookie.ts";
import { namedProviders, signInSettings } from "./sign-in/providers.ts";

/** Describes the invitation behind a link, and how this browser can accept it. Throws `link_expired`. */
export async function lookAtInvitation(request: Request, token: string): Promise<LookedAtInvitation> {
  const db = await database();
  const found = await findInvitation(db, token);
  if (!found) throw linkExpired();
  const cookie = cookieOf(request, sessionCookieName());
  const person = await personOf(cookie);
  const session = async () => {
    if (!person) return "none";
    const address = clientAddress(request.headers.get("x-forwarded-for"));
    if ((await sessionOf(cookie, address, { anywhere: true }))?.view) return "view";
    if (person.email !== found.email) return "other";
    return (await mayJoin(db, person.id)) ? "own" : "unproven";
  };
  const { organizationId } = found;
  const { providers } = await db.withOrganization(organizationId, (tx) => readSignInPolicy(tx));
  return {
    organization: found.organizationName,
    inviter: found.inviter,
    role: found.role,
    email: maskedEmail(found.email),
    mailed: found.mailed,
    session: await session(),
    signedInAs: person?.email ?? null,
    // Nobody makes a password for an organization that asks for single sign-on.
    passwords: signInSettings().passwords && providers.length === 0,
  };
}

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

interface Invited {
  organizationId: string;
  organizationName: string;
  role: Role;
}

/**
 * Throws the requirement of the inviting organization that the session does not meet. Null: the person sets a new
 * password. Two-step sign-in is not required to join: the person is led to set it up afterwards.
 */
export async function refuseForeignSignIn(sessionId: string | null, invited: Invited): Promise<void> {
  const { organizationId } = invited;
  const db = await database();
  const { providers } = await db.withOrganization(organizationId, (tx) => readSignInPolicy(tx));
  const kind = async (): Promise<RefusalKind | null> => {
    if (sessionId === null) return providers.length > 0 ? "provider" : null;
    const [row] = await db.gate<{ refusal: RefusalKind | null }>(
      Prisma.sql`SELECT gate.refusal_of(${sessionId}::uuid, ${organizationId}::uuid, ${invited.role}) AS refusal`,
    );
    return row?.refusal ?? null;
  };
  const refusal = await kind();
  if (refusal !== null && refusal !== "second_factor")
    throw signInRefused(refusal, invited.organizationName, await namedProviders(providers));
}
