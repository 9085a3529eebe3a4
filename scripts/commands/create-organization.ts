import { isUniqueViolation } from "../../lib/base/db/database-errors.ts";
import { uuidv7 } from "../../lib/base/ids.ts";
import { addMember } from "../../lib/people/members/member-writes.ts";
import { COMMAND_LINE, createOrganization } from "../../lib/people/organizations/organization-writes.ts";
import { operatorServers } from "../../lib/servers/operator-file.ts";
import { giveOperatorServers } from "../../lib/servers/operator-sync.ts";
import { SLUG } from "../../lib/text/slug.ts";
import { nameOf, readEmail } from "./create-user.ts";
import { passwordLink } from "./password-link.ts";
import { CommandError, read, required, UsageError } from "./usage.ts";
import { withOwnerDatabase } from "./with-database.ts";

/** Makes an organization with its owner and the operator's servers for it; returns the owner's link. */
export async function createOrganizationCommand(args: string[]): Promise<string> {
  const { values, words } = read(args, ["name", "owner"], 1);
  const slug = words[0] ?? "";
  if (!SLUG.test(slug))
    throw new UsageError("A slug has 1 to 63 of a-z, 0-9 and -, and begins with none of the last.");
  const name = required(values.name, "--name");
  const email = readEmail(values.owner, "--owner");
  const servers = operatorServers();
  return withOwnerDatabase(async (db) => {
    const organizationId = uuidv7();
    return db.withOrganization(organizationId, async (tx) => {
      await createOrganization(tx, { slug, name }).catch((error: unknown) => {
        throw isUniqueViolation(error)
          ? new CommandError(`There is an organization "${slug}" already.`)
          : error;
      });
      const person = { email, name: nameOf(email), role: "owner" as const };
      await giveOperatorServers(tx, slug, servers);
      const { userId } = await addMember(tx, COMMAND_LINE, person);
      return passwordLink(tx, userId);
    });
  });
}
