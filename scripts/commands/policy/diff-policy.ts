import { policyChanges } from "../../../lib/format/policy/call-rules.ts";
import { differenceOf } from "../../../lib/policy/difference.ts";
import { CommandError, read, required } from "../usage.ts";
import { readPolicyFile } from "./policy-file.ts";
import { readSavedPolicy } from "./saved-policy.ts";

/** Prints, in the history's words, what applying the file would change. Fails if that is anything. */
export async function diffPolicyCommand(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "file"]);
  const file = required(values.file, "--file");
  const policy = await readPolicyFile(file);
  const { version, policy: saved } = await readSavedPolicy(required(values.org, "--org"));
  const result = policyChanges({ ...differenceOf(saved, policy) });
  if (result === "") return `${file} is version ${version}.`;
  throw new CommandError(`${file} differs from version ${version}.`, { result });
}
