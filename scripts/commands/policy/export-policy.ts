import { writeFile } from "node:fs/promises";
import { CommandError, read, required } from "../usage.ts";
import { readSavedPolicy } from "./saved-policy.ts";

/** Prints the policy in force, or writes it to a new file; its version goes to stderr. */
export async function exportPolicyCommand(args: string[]): Promise<string> {
  const { values } = read(args, ["org", "file"]);
  const { version, policy } = await readSavedPolicy(required(values.org, "--org"));
  const text = JSON.stringify(policy, null, 2);
  process.stderr.write(`Version ${version}\n`);
  if (values.file === undefined) return text;
  await writeFile(values.file, `${text}\n`, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw error.code ? new CommandError(`${values.file}: ${error.code}.`, { cause: error }) : error;
  });
  return "";
}
