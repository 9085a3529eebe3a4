/** The published client of the Agent Approval Protocol, with its shims for frameworks, in a Python environment below node_modules. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PLACE = fileURLToPath(new URL("../../../node_modules/.aap", import.meta.url));
const PYTHON = `${PLACE}/bin/python`;
const AGENTS = fileURLToPath(new URL("scripted_agents.py", import.meta.url));
/** The package, and the frameworks that its shims are for. */
const PACKAGES = [
  "agentapprovalprotocol[langgraph,pydantic-ai,openai-agents]==0.3.3",
  ...["langchain==1.5.2", "langgraph==1.2.24", "pydantic-ai-slim==2.68.0", "openai-agents==0.24.0"],
];

export const AAP_INSTALL_MS = 600_000;

/** Installs what is not installed yet. Returns why that is impossible here, if it is. */
export async function installAap(): Promise<string | undefined> {
  const run = promisify(execFile);
  try {
    await run("python3", ["-m", "venv", PLACE]);
    await run(PYTHON, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PACKAGES]);
    return undefined;
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string };
    return (stderr?.trim() || message).split("\n").at(-1);
  }
}

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
  const child = spawn(PYTHON, [AGENTS, kind, baseUrl, token, ...more], {
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
