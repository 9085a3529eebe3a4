import { isSuspendedMember, isUniqueViolation } from "../../lib/base/db/database-errors.ts";
import { emailSchema } from "../../lib/people/members/member-schema.ts";
import { addMember } from "../../lib/people/members/member-writes.ts";
import { COMMAND_LINE } from "../../lib/people/organizations/organization-writes.ts";
import { passwordLink } from "./password-link.ts";
import { CommandError, read, readRole, required, UsageError } from "./usage.ts";
import { organizationBySlug, withOwnerDatabase } from "./with-database.ts";

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
