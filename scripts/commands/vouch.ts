import { recordVouching } from "../../lib/people/members/vouch.ts";
import { COMMAND_LINE } from "../../lib/people/organizations/organization-writes.ts";
import { readEmail } from "./create-user.ts";
import { CommandError, read, required } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

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
