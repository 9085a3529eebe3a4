import { isSuspendedMember, isUniqueViolation } from "../../lib/base/db/database-errors.ts";
import { Prisma, type Tx } from "../../lib/base/db/db.ts";
import { makePasswordLinkFor } from "../../lib/people/accounts/password.ts";
import { emailSchema } from "../../lib/people/members/member-schema.ts";
import { addMember, makePasswordLink } from "../../lib/people/members/member-writes.ts";
import { passwordLinkUrl } from "../../lib/people/members/set-password.ts";
import { recordVouching } from "../../lib/people/members/vouch.ts";
import { COMMAND_LINE } from "../../lib/people/organizations/organization-writes.ts";
import { PASSWORD_LINK_LIFETIME_MS } from "../../lib/web/tunables.ts";
import { CommandError, read, readRole, required, UsageError } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

/** Returns the address at which a new member sets a password, once, within a week. */
export async function passwordLink(tx: Tx, userId: string): Promise<string> {
  return passwordLinkUrl(await makePasswordLink(tx, userId, PASSWORD_LINK_LIFETIME_MS));
}

/** Makes a member; returns the link with which the person sets a password. */
export async function createUser(args: string[]): Promise<string> {
  const { values, words } = read(args, ["org", "role", "name"], 1);
  const email = readEmail(words[0], "The e-mail address");
  const role = readRole(values.role);
  const slug = required(values.org, "--org");
  const name = values.name?.trim() || nameOf(email);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    return db.withOrganization(organizationId, async (tx) => {
      const { userId } = await addMember(tx, COMMAND_LINE, { email, name, role }).catch((error: unknown) => {
        if (isSuspendedMember(error))
          throw new CommandError(
            `${email} is suspended in "${slug}". An admin reinstates them under Settings → Members.`,
          );
        throw isUniqueViolation(error)
          ? new CommandError(`${email} is a member of "${slug}" already.`)
          : error;
      });
      return passwordLink(tx, userId);
    });
  });
}

export function readEmail(value: string | undefined, what: string): string {
  const email = emailSchema.safeParse(required(value, what));
  if (!email.success) throw new UsageError(`${what}: "${value}" is not an e-mail address.`);
  return email.data;
}

/** A first name for a new member: `ana@acme.example` is Ana. */
export function nameOf(email: string): string {
  const local = email.split("@")[0] ?? email;
  return local.charAt(0).toUpperCase() + local.slice(1);
}

/** Returns the address at which a person who has an account sets a new password, once, within a week. */
export async function createPasswordLink(args: string[]): Promise<string> {
  const { words } = read(args, [], 1);
  const email = readEmail(words[0], "The e-mail address");
  return withOwnerDatabase(async (db) => {
    const token = await makePasswordLinkFor(db, email, PASSWORD_LINK_LIFETIME_MS);
    if (token === null) throw new CommandError(`${email} has no account.`);
    return passwordLinkUrl(token);
  });
}

/** Turns two-step sign-in off for a person who has lost the phone and the recovery codes. */
export async function removeSecondFactor(args: string[]): Promise<string> {
  const { words } = read(args, [], 1);
  const email = readEmail(words[0], "The e-mail address");
  return withOwnerDatabase(async (db) => {
    const [row] = await db.gate<{ done: boolean }>(
      Prisma.sql`SELECT gate.remove_second_factor(u.id, true) AS done FROM "user" u WHERE u.email = ${email}`,
    );
    if (!row?.done) throw new CommandError(`${email} has no account with two-step sign-in.`);
    return `Two-step sign-in of ${email} is off.`;
  });
}

/** Lists accounts that were made by a link which an admin was shown, and that are in several organizations. */
export async function listLinkedAccounts(args: string[]): Promise<string> {
  read(args, [], 0);
  return withOwnerDatabase(async (db) => {
    const rows = await db.gate<{ email: string; organizations: string }>(
      Prisma.sql`SELECT * FROM gate.accounts_made_by_link()`,
    );
    return rows.map(({ email, organizations }) => `${email}: ${organizations}`).join("\n");
  });
}

/** Lets a member count as a person of their own, where no other owner can vouch for them. */
export async function vouchCommand(args: string[]): Promise<string> {
  const { values, words } = read(args, ["org"], 1);
  const email = readEmail(words[0], "The e-mail address");
  const slug = required(values.org, "--org");
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    return db.withOrganization(organizationId, async (tx) => {
      const [member] = await tx.$queryRaw<{ memberId: string; userId: string; name: string }[]>`
        SELECT m.id AS "memberId", m.user_id AS "userId", u.name FROM membership m JOIN "user" u ON u.id = m.user_id
        WHERE m.organization_id = ${organizationId}::uuid AND u.email = ${email}`;
      if (!member) throw new CommandError(`${email} is no member of "${slug}".`);
      // A row without an inviter: the operator answers for this person.
      const changed = await tx.maker.updateMany({
        where: { organizationId, userId: member.userId, vouchedAt: null, invitedBy: { not: null } },
        data: { invitedBy: null },
      });
      // And for what a SAML provider that is gone said of them.
      const forgotten = await tx.$executeRaw`DELETE FROM saml_maker s
        WHERE s.organization_id = ${organizationId}::uuid AND s.user_id = ${member.userId}::uuid AND NOT EXISTS (
          SELECT FROM saml_provider p WHERE p.organization_id = s.organization_id AND p.id = s.provider_id)`;
      if (changed.count + forgotten === 0)
        throw new CommandError(`${email} counts as a person of their own already.`);
      await recordVouching(tx, COMMAND_LINE, member);
      return `${member.name} counts as a person of their own.`;
    });
  });
}
