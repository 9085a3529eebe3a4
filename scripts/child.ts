import { type ChildProcess, spawn } from "node:child_process";
import { ConfigurationError } from "../lib/base/env.ts";

const running = new Set<ChildProcess>();
const END_WITH_PARENT = new URL("end-with-parent.mjs", import.meta.url).href;

/** Runs one of our own steps with this Node. Its output is shown only on failure, in place of a stack. */
export async function runStep(what: string, args: string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, ["--import", END_WITH_PARENT, ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (output += data));
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  }).finally(() => running.delete(child));
  if (code !== 0) throw new ConfigurationError(`${what} failed:\n${output.trimEnd()}`);
}

/** Kills the running steps of an aborted start. */
export function killSteps(): void {
  for (const child of running) child.kill("SIGKILL");
}
