import type { Principal } from "../../../lib/access/principal.ts";
import { COMMAND_LINE } from "../../../lib/people/organizations/organization-writes.ts";
import { readPolicy } from "../../../lib/policy/policy-reads.ts";
import { savePolicy } from "../../../lib/policy/policy-writes.ts";
import { read, required, UsageError } from "../usage.ts";
import { organizationBySlug, withOwnerDatabase } from "../with-database.ts";
import { readPolicyFile, withPlaces } from "./policy-file.ts";

/**
 * Saves the file as the policy, as `PUT /policy` does. `--version`: the one that the file was made from; if another is in force,
 * nothing is saved. Where changes need a second admin it is proposed. Prints the version that is in force then.
 */
export async function applyPolicyCommand(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "file", "version"]);
  const file = required(values.file, "--file");
  const slug = required(values.org, "--org");
  const given = values.version === undefined ? null : readVersion(values.version);
  const policy = await readPolicyFile(file);
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const version = given ?? (await db.withOrganization(organizationId, (tx) => readPolicy(tx))).version;
    const principal: Principal = { organizationId, userId: null, role: "owner", actor: COMMAND_LINE };
    const { proposalId, saved } = await withPlaces(file, () =>
      db.withOrganization(organizationId, async (tx) => ({
        ...(await savePolicy(tx, principal, version, policy)),
        saved: await readPolicy(tx),
      })),
    );
    return proposalId === null
      ? `Version ${saved.version}`
      : `Proposed: an admin has to approve it (Settings → Policy). Version ${saved.version} is still in force`;
  });
}

function readVersion(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--version: "${text}" is no version of a policy.`);
  return Number(text);
}
