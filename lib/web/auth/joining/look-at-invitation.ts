import { findInvitation } from "../../../people/invitations/invitation-reads.ts";
import type { LookedAtInvitation } from "../../../people/invitations/invitation-schema.ts";
import { linkExpired } from "../../../people/invitations/invitation-writes.ts";
import { mayJoin } from "../../../people/invitations/join.ts";
import { readSignInPolicy } from "../../../people/organizations/sign-in/sign-in-reads.ts";
import { maskedEmail } from "../../../text/mask.ts";
import { database } from "../../database.ts";
import { clientAddress } from "../../http/caller/client-address.ts";
import { cookieOf, personOf, sessionCookieName, sessionOf } from "../session-cookie.ts";
import { signInSettings } from "../sign-in/providers.ts";

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
