/** The published client of the Agent Approval Protocol, with its shims for frameworks, in Python environments below node_modules. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const placeOf = (environment: Environment) =>
  fileURLToPath(new URL(`../../../node_modules/.aap-${environment}`, import.meta.url));
const AGENTS = fileURLToPath(new URL("scripted_agents.py", import.meta.url));
/** By environment: the package, and the frameworks that its shims are for. Not all frameworks can be in one. */
const PACKAGES = {
  common: [
    "agentapprovalprotocol[langgraph,pydantic-ai,openai-agents]==0.3.3",
    ...["langchain==1.5.2", "langgraph==1.2.24", "pydantic-ai-slim==2.68.0", "openai-agents==0.24.0"],
  ],
  adk: ["agentapprovalprotocol[adk]==0.3.3", "google-adk==2.13.0"],
  crewai: ["agentapprovalprotocol[crewai]==0.3.3", "crewai==1.15.30"],
  claude_agent_sdk: ["agentapprovalprotocol[claude-agent-sdk]==0.3.3", "claude-agent-sdk==0.2.184"],
};
export type Environment = keyof typeof PACKAGES;

export const AAP_INSTALL_MS = 600_000;

/** Installs what is not installed yet. Returns why that is impossible here, if it is. */
export async function installAap(environment: Environment): Promise<string | undefined> {
  const run = promisify(execFile);
  const place = placeOf(environment);
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  try {
    await run("python3", ["-m", "venv", place]);
    await run(`${place}/bin/python`, [...install, ...PACKAGES[environment]]);
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

/** Runs an agent of scripted_agents.py, in the environment of its kind. `next` is the next that it says; `end` is its exit. */
export function runAgent(kind: string, baseUrl: string, token: string, ...more: string[]) {
  const environment = kind in PACKAGES ? (kind as Environment) : "common";
  const python = `${placeOf(environment)}/bin/python`;
  const child = spawn(python, [AGENTS, kind, baseUrl, token, ...more], {
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
