import { COMMAND_LINE } from "../../../lib/people/organizations/organization-writes.ts";
import { clearSignInPolicy } from "../../../lib/people/organizations/sign-in/sign-in-writes.ts";
import { read, required, takeSwitch, UsageError } from "../usage.ts";
import { organizationBySlug, withOwnerDatabase } from "../with-database.ts";

/** Takes back what an organization asks of sign-ins, for one whose own people can't: its provider is gone. */
export async function organizationSignIn(args: string[]): Promise<string> {
  const { isSet, rest } = takeSwitch(args, "--clear");
  const { values } = read(rest, ["org"]);
  const slug = required(values.org, "--org");
  if (!isSet) throw new UsageError("--clear is missing: there is nothing else to do here.");
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const changed = await db.withOrganization(organizationId, (tx) => clearSignInPolicy(tx, COMMAND_LINE));
    return changed
      ? `The people of "${slug}" may sign in in any way again.`
      : `"${slug}" asks for nothing; nothing was changed.`;
  });
}
