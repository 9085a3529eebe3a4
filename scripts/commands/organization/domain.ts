import { listDomains } from "../../../lib/people/organizations/domains/domain-reads.ts";
import { domainSchema } from "../../../lib/people/organizations/domains/domain-schema.ts";
import {
  addDomain,
  markVerified,
  removeDomain,
} from "../../../lib/people/organizations/domains/domain-writes.ts";
import { COMMAND_LINE } from "../../../lib/people/organizations/organization-writes.ts";
import { CommandError, read, required, takeSwitch, UsageError } from "../usage.ts";
import { organizationBySlug, withOwnerDatabase } from "../with-database.ts";

/** Verifies a domain on the operator's word, or removes it: also one that another organization is to have. */
export async function organizationDomain(args: string[]): Promise<string> {
  const { isSet: isRemoval, rest } = takeSwitch(args, "--remove");
  const { values, words } = read(rest, ["org"], 1);
  const slug = required(values.org, "--org");
  const domain = domainSchema.safeParse(words[0]).data;
  if (domain === undefined) throw new UsageError(`"${words[0]}" is no domain.`);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    return db.withOrganization(organizationId, async (tx) => {
      if (!isRemoval) {
        const id = await addDomain(tx, COMMAND_LINE, domain);
        await markVerified(tx, COMMAND_LINE, id);
        return `${domain} is a verified domain of "${slug}".`;
      }
      const found = (await listDomains(tx)).find((each) => each.domain === domain);
      if (!found) throw new CommandError(`${domain} is no domain of "${slug}".`);
      await removeDomain(tx, COMMAND_LINE, found.id);
      return `${domain} is no domain of "${slug}" any more.`;
    });
  });
}
