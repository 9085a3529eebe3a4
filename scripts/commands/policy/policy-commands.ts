import { writeFile } from "node:fs/promises";
import type { Principal } from "../../../lib/access/principal.ts";
import { COMMAND_LINE } from "../../../lib/people/organizations/organization-writes.ts";
import { policyChanges } from "../../../lib/policy/call-rules/call-rule-words.ts";
import { failedCases, failureWords } from "../../../lib/policy/cases.ts";
import { changesOf } from "../../../lib/policy/difference.ts";
import { readPolicy } from "../../../lib/policy/policy-reads.ts";
import { type Policy, policyInputSchema } from "../../../lib/policy/policy-schema.ts";
import { checked, savePolicy } from "../../../lib/policy/policy-writes.ts";
import { problemsOfConditions } from "../../../lib/policy/problems.ts";
import { withoutDefaults } from "../../../lib/policy/without-defaults.ts";
import { writeYaml } from "../../../lib/policy/yaml.ts";
import { CommandError, read, required, UsageError } from "../usage.ts";
import { organizationBySlug, withOwnerDatabase } from "../with-database.ts";
import { invalidPolicy, isYaml, readPolicyFile, withPlaces } from "./policy-file.ts";

/** The policy in force, with its version. */
async function readSavedPolicy(slug: string): Promise<{ version: number; policy: Policy }> {
  return withOwnerDatabase(async (db) => {
    const organizationId = await organizationBySlug(db, slug);
    const { version, policy } = await db.withOrganization(organizationId, (tx) => readPolicy(tx));
    return { version, policy: policyInputSchema.parse(policy) };
  });
}

/**
 * Prints the policy in force without its defaults, or writes it to a new file, as YAML where its name ends so; its version goes to
 * stderr.
 */
export async function exportPolicyCommand(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "file"]);
  const saved = await readSavedPolicy(required(values.org, "--org"));
  const policy = withoutDefaults(saved.policy);
  process.stderr.write(`Version ${saved.version}\n`);
  if (values.file === undefined) return JSON.stringify(policy, null, 2);
  const text = isYaml(values.file) ? writeYaml(policy) : `${JSON.stringify(policy, null, 2)}\n`;
  await writeFile(values.file, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw error.code ? new CommandError(`${values.file}: ${error.code}.`, { cause: error }) : error;
  });
  return "";
}

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

/** Runs the tests of a policy: of a file, which needs no database, or of the one in force. Fails if one fails. */
export async function testPolicyCommand(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "file"]);
  const policy =
    values.file === undefined
      ? (await readSavedPolicy(required(values.org, "--file or --org"))).policy
      : await readPolicyFile(values.file);
  const problems = problemsOfConditions(policy);
  if (problems.length > 0) throw invalidPolicy(values.file ?? "The policy", problems);
  const all = policy.tests?.length ?? 0;
  const failures = await failedCases(policy);
  if (failures.length === 0) return `${all} ${all === 1 ? "test" : "tests"}, all passed.`;
  const result = failures
    .map(
      (failure) =>
        `Test ${failure.at + 1}${failure.name ? `, ${failure.name}` : ""}: ${failureWords(failure)}`,
    )
    .join("\n");
  throw new CommandError(`${failures.length} of ${all} tests failed.`, { result });
}

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
