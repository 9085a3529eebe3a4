/** The operator's command line: in the test's process, and in one of its own. */
import { spawn } from "node:child_process";
import { parseEnvironment } from "../lib/base/env.ts";
import { forget, replace } from "../lib/base/process/process-wide.ts";
import { type Outcome, runCommand } from "../scripts/cli.ts";

type Settings = Record<string, string>;

/** Leads to nothing, for a command that is to need no database: without any it would begin one of its own. */
export const NO_DATABASE = { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" };

/** Runs a command with these settings alone in this process: a process each would take most of a file's time. */
export function runHere(settings: Settings, args: string[]): Promise<Outcome> {
  return withSettings(settings, async () => {
    const { said, stop } = hearErrors();
    try {
      const { code, out, err } = await runCommand(args);
      // What it wrote meanwhile comes first, as in a process of its own.
      return { code, out, err: said.join("") + err };
    } finally {
      stop();
    }
  });
}

/** Does `work` as a process with these settings alone would. */
export async function withSettings<T>(settings: Settings, work: () => Promise<T>): Promise<T> {
  const before = replace("environment", parseEnvironment(settings));
  forget(READ_ONCE);
  try {
    return await work();
  } finally {
    forget(READ_ONCE);
    if (before === undefined) forget("environment");
    else replace("environment", before);
  }
}

/** Runs a command in a process of its own: it prints, exits and reads its settings as an operator's does. */
export function runProcess(
  settings: Settings,
  args: string[],
): Promise<{ code: number | null; out: string; err: string }> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, NODE_ENV: "test" as const, ...settings };
  const child = spawn(process.execPath, ["scripts/cli.ts", ...args], { env });
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => (out += data));
  child.stderr.on("data", (data) => (err += data));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, err })));
}

/** What a process keeps of a file (lib/servers/operator-file.ts), so that each command reads it anew. */
const READ_ONCE = "operator's servers";

/** Takes what this process writes to stderr, until it is stopped. */
function hearErrors(): { said: string[]; stop(): void } {
  const said: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = (text: string | Uint8Array) => {
    said.push(String(text));
    return true;
  };
  return {
    said,
    stop() {
      process.stderr.write = write;
    },
  };
}
