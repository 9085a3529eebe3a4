import { COMMAND_LINE } from "../../../lib/people/organizations/organization-writes.ts";
import { confirmAs } from "../../../lib/people/saml/saml-writes.ts";
import { CommandError, read, required } from "../usage.ts";
import { organizationBySlug, withOwnerDatabase } from "../with-database.ts";

/** Confirms a SAML provider as it is, where no owner counts as another person than who set it up. */
export async function confirmSamlCommand(args: string[]): Promise<string> {
  const { values, words } = read(args, ["org"], 1);
  const slug = required(values.org, "--org");
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    return db.withOrganization(organizationId, async (tx) => {
      const named = await tx.samlProvider.findMany({ where: { organizationId, name: words[0] ?? "" } });
      const [found, ...more] = named;
      if (!found) throw new CommandError(`"${slug}" has no SAML provider "${words[0]}".`);
      if (more.length > 0)
        throw new CommandError(`"${slug}" has several SAML providers "${words[0]}": rename one.`);
      await confirmAs(tx, null, COMMAND_LINE, found.id);
      return `${found.name} is confirmed. Its sessions ended.`;
    });
  });
}
