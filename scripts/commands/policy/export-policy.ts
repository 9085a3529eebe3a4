import { writeFile } from "node:fs/promises";
import { withoutDefaults } from "../../../lib/policy/without-defaults.ts";
import { writeYaml } from "../../../lib/policy/yaml.ts";
import { CommandError, read, required } from "../usage.ts";
import { isYaml } from "./policy-file.ts";
import { readSavedPolicy } from "./saved-policy.ts";

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
