import { failedCases, failureWords } from "../../../lib/policy/cases.ts";
import { problemsOfConditions } from "../../../lib/policy/problems.ts";
import { CommandError, read, required } from "../usage.ts";
import { invalidPolicy, readPolicyFile } from "./policy-file.ts";
import { readSavedPolicy } from "./saved-policy.ts";

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
