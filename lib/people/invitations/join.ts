/** Joins an organization by a link, with an account or a new one. Fetching a link changes nothing. */
import { type Database, Prisma } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { hashSecret, uuidv7 } from "../../base/ids.ts";
import { maskedEmail } from "../../text/mask.ts";
import { hashNewPassword } from "../members/new-password.ts";
import { refuseName } from "../members/person-name.ts";
import { findInvitation } from "./invitation-reads.ts";
import { acceptInvitation, linkExpired } from "./invitation-writes.ts";

/**
 * Returns the organization joined. Throws `link_expired`, `wrong_account` for another person's link, and
 * `account_unproven` where nobody has proved the address of the account: it may be anybody's.
 */
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
  await db.withOrganization(organizationId, async (tx) => {
    const [row] = await tx.$queryRaw<{ may: boolean }[]>`SELECT gate.may_join(${person.id}::uuid) AS may`;
    if (!row?.may)
      throw new AppError(
        "account_unproven",
        "Nobody has confirmed yet that this address is yours. Ask for an invitation by e-mail, or ask the person who runs Intray for a link to set your password.",
      );
    await acceptInvitation(tx, person, token);
  });
  return organizationId;
}

/** Whether a signed-in person's account may join by that: see `join`. */
export async function mayJoin(db: Database, userId: string): Promise<boolean> {
  const [row] = await db.gate<{ may: boolean }>(Prisma.sql`SELECT gate.may_join(${userId}::uuid) AS may`);
  return row?.may === true;
}

/**
 * Makes the account and accepts the invitation in one transaction; a mailed link replaces an account that nobody has
 * proved. Returns the address to sign in with. Where the address has an account of its own, the answer and the work are
 * the same, and nothing is made: its person signs in with it and joins then, and nobody else learns of it. Throws
 * `link_expired`, and `invalid_input` and `name_taken` as `refuseName` does.
 */
export async function joinWithAccount(
  db: Database,
  { token, name, password }: { token: string; name: string; password: string },
): Promise<{ email: string }> {
  const found = await findInvitation(db, token);
  if (!found) throw linkExpired();
  const { organizationId, email } = found;
  const passwordHash = await hashNewPassword(password, [name, email]);
  const joined = await db.withOrganization(organizationId, async (tx) => {
    // For an address with an account too, which would be told apart by it.
    const others = await tx.$queryRaw<
      { name: string }[]
    >`SELECT name FROM gate.names_beside(${hashSecret(token)}) AS name`;
    refuseName(
      name,
      others.map((other) => other.name),
    );
    const [made] = await tx.$queryRaw<{ id: string | null }[]>(Prisma.sql`SELECT gate.join_with_account(
      ${hashSecret(token)}, ${uuidv7()}::uuid, ${name}, ${passwordHash}) AS id`);
    if (!made?.id) return false;
    await acceptInvitation(tx, { id: made.id, name, email }, token);
    return true;
  });
  // A concurrent join may have used the link up.
  if (!joined && !(await findInvitation(db, token))) throw linkExpired();
  return { email };
}
