/** Joins an organization by a link, with an account or a new one. Fetching a link changes nothing. */
import { type Database, Prisma } from "../base/db/db.ts";
import { AppError } from "../base/errors.ts";
import { hashSecret, uuidv7 } from "../base/ids.ts";
import { hashNewPassword } from "../members/new-password.ts";
import { maskedEmail } from "../text/mask.ts";
import { findInvitation } from "./queries.ts";
import { acceptInvitation, linkExpired } from "./transitions.ts";

/** Returns the organization joined. Throws `link_expired`, and `wrong_account` for another person's link. */
export async function join(
  db: Database,
  person: { id: string; name: string; email: string },
  token: string,
): Promise<string> {
  const found = await findInvitation(db, token);
  if (!found) throw linkExpired();
  if (found.email !== person.email)
    throw new AppError(
      "wrong_account",
      `This invitation is for ${maskedEmail(found.email)}; you are signed in as ${person.email}.`,
    );
  const { organizationId } = found;
  await db.withOrganization(organizationId, (tx) => acceptInvitation(organizationId, tx, person, token));
  return organizationId;
}

/**
 * Makes the account and accepts the invitation in one transaction. Returns the address to sign in with.
 * Throws `has_account`.
 */
export async function joinWithAccount(
  db: Database,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<{ email: string }> {
  const found = await findInvitation(db, token);
  if (!found) throw linkExpired();
  const { organizationId, email } = found;
  const hasAccount = new AppError("has_account", "There is an account for this address: sign in with it.");
  if (found.hasAccount) throw hasAccount;
  const passwordHash = await hashNewPassword(password, [name, email]);
  await db.withOrganization(organizationId, async (tx) => {
    const [made] = await tx.$queryRaw<{ id: string | null }[]>(Prisma.sql`SELECT gate.create_invited_account(
      ${hashSecret(token)}, ${uuidv7()}::uuid, ${name}, ${passwordHash}) AS id`);
    // A concurrent join made the account, by this link or by another organization's.
    if (!made?.id) throw hasAccount;
    await acceptInvitation(organizationId, tx, { id: made.id, name, email }, token);
  });
  return { email };
}
