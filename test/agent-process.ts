/** The endpoint for agents in its own process, to be killed while it holds calls. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "../scripts/ports.ts";

export interface AgentEndpoint {
  url: string;
  /** Of the process that runs now. */
  readonly pid: number;
  /** kill -9, awaited. */
  kill(): Promise<void>;
  /** SIGTERM, and its end. Rejects if it did not end well. */
  drain(): Promise<void>;
  /** Again, on the same port. */
  start(): Promise<void>;
  /** Resident memory, in bytes. */
  memory(): number;
}

const MAIN = fileURLToPath(new URL("./servers/agents/agent-endpoint.ts", import.meta.url));

/** `environment`: of OrganizationFixture.webEnvironment, and settings. */
export async function startAgentEndpoint(environment: Record<string, string>): Promise<AgentEndpoint> {
  let running: ChildProcess | null = null;
  const port = await freePort();
  const pid = () => {
    if (!running?.pid) throw new Error("the endpoint does not run");
    return running.pid;
  };
  const start = async () => {
    const { PATH, HOME, LANG, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [MAIN], {
      env: {
        PATH,
        HOME,
        LANG,
        NODE_COMPILE_CACHE,
        LOG_LEVEL: "warn",
        AUTH_SECRET: "a secret of the tests",
        INTRAY_URL: "http://localhost:3000",
        INTRAY_RATE_LIMIT: "100000",
        PORT: String(port),
        ...environment,
      } as Record<string, string | undefined> as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "inherit"],
    });
    running = child;
    const exited = once(child, "exit").then(() => {
      throw new Error("the endpoint ended before it listened");
    });
    exited.catch(() => undefined); // tests kill it on purpose
    const lines = createInterface({ input: child.stdout });
    const listening = new Promise<void>((resolve) => {
      lines.on("line", (line) => {
        if (line === "Listening") resolve();
        else process.stderr.write(`${line}\n`);
      });
    });
    await Promise.race([listening, exited]);
  };
  const end = async (signal: NodeJS.Signals) => {
    const child = running;
    if (!child || child.exitCode !== null || child.signalCode !== null) return null;
    const gone = once(child, "exit");
    child.kill(signal);
    const [code] = await gone;
    return code as number | null;
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    get pid() {
      return pid();
    },
    start,
    async kill() {
      await end("SIGKILL");
    },
    async drain() {
      const code = await end("SIGTERM");
      if (code !== 0) throw new Error(`the endpoint did not drain: ${code}`);
    },
    memory() {
      const status = readFileSync(`/proc/${pid()}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
    },
  };
}
