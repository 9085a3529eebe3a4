import { policyChanges } from "../../../lib/policy/call-rules/call-rule-words.ts";
import { changesOf } from "../../../lib/policy/difference.ts";
import { checked } from "../../../lib/policy/policy-writes.ts";
import { CommandError, read, required } from "../usage.ts";
import { organizationBySlug, withOwnerDatabase } from "../with-database.ts";
import { readPolicyFile, withPlaces } from "./policy-file.ts";

/** Prints, in the history's words, what applying the file would change, also whom its addresses mean. Fails if that is anything. */
export async function diffPolicyCommand(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "file"]);
  const file = required(values.file, "--file");
  const slug = required(values.org, "--org");
  const policy = await readPolicyFile(file);
  const { version, before, after, isSame } = await withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    return withPlaces(file, () => db.withOrganization(organizationId, (tx) => checked(tx, policy)));
  });
  if (isSame) return `${file} is version ${version}.`;
  throw new CommandError(`${file} differs from version ${version}.`, {
    result: policyChanges({ ...changesOf(before, after) }),
  });
}
