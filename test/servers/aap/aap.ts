/** The published client of the Agent Approval Protocol, with its shims for three frameworks. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { installPython } from "../../setup/own-package.ts";

const AGENTS = fileURLToPath(new URL("scripted_agents.py", import.meta.url));

/** Installs what is not installed yet. Throws where that is impossible. */
export const installAap = () => installPython("aap");

/** What an agent says: the calls that ran, and what its model was told of each. */
export interface Said {
  ran: Record<string, unknown>[];
  told: string[];
  verdict?: string;
  status?: string | null;
  waits?: string[];
  instance?: string;
}

/** Runs an agent of scripted_agents.py. `next` is the next that it says; `end` is its exit. */
export function runAgent(kind: string, baseUrl: string, token: string, ...more: string[]) {
  const child = spawn(installAap(), [AGENTS, kind, baseUrl, token, ...more], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let trouble = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    trouble = `${trouble}${text}`.slice(-4_000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, "exit").then(([code]) => {
    if (code !== 0) throw new Error(`the agent ended with ${code}: ${trouble}`);
  });
  exited.catch(() => undefined); // a test kills it when it has ended
  return {
    async next(): Promise<Said> {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the agent ended without a word: ${trouble}`);
      return JSON.parse(value);
    },
    /** Rejects if it ends badly. */
    end: () => exited,
    kill: () => child.kill("SIGKILL"),
  };
}
