import { networksSchema } from "../../../lib/access/networks.ts";
import { readAddresses, setAddresses } from "../../../lib/people/organizations/addresses.ts";
import { read, required, UsageError } from "../usage.ts";
import { organizationBySlug, withOwnerDatabase } from "../with-database.ts";

/**
 * Sets or clears the networks from which an organization is reached, and returns them, one a line: the way back in where
 * a list has locked everybody out. Without --set and --clear it only shows them.
 */
export async function setAddressesCommand(args: string[]): Promise<string> {
  const { org, networks } = readOptions(args);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, org);
    const saved = await db.withOrganization(organizationId, async (tx) => {
      if (networks) await setAddresses(tx, networks);
      return readAddresses(tx);
    });
    return saved.networks.join("\n");
  });
}

function readOptions(args: string[]): { org: string; networks: string[] | null } {
  const clears = args.includes("--clear");
  const { values } = read(
    args.filter((each) => each !== "--clear"),
    ["org", "set"],
  );
  const org = required(values.org, "--org");
  if (clears && values.set !== undefined) throw new UsageError("Give --set or --clear, not both.");
  if (clears) return { org, networks: [] };
  if (values.set === undefined) return { org, networks: null };
  const parsed = networksSchema.safeParse(values.set.split(/[\s,]+/).filter(Boolean));
  if (!parsed.success) throw new UsageError(`--set: ${parsed.error.issues[0]?.message}.`);
  if (parsed.data.length === 0) throw new UsageError("--set: name a network, or use --clear.");
  return { org, networks: parsed.data };
}
