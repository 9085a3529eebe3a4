/** The real FastMCP 3, in a Python environment below node_modules. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../../../scripts/ports.ts";
import { until } from "../../fixtures/organization-fixture.ts";

const PLACE = fileURLToPath(new URL("../../../node_modules/.fastmcp", import.meta.url));
/** FastMCP, and what of its own packages decides about the messages on the wire and their order. */
const PACKAGES = ["fastmcp[tasks]==3.4.11", "mcp==1.30.0", "pydocket==0.27.0"];

export const FASTMCP_PYTHON = `${PLACE}/bin/python`;
export const FASTMCP_SERVER = fileURLToPath(new URL("server.py", import.meta.url));
export const FASTMCP_INSTALL_MS = 600_000;
/** How long a step of a FastMCP server may take. */
export const FASTMCP_PATIENCE_MS = 180_000;

/** Installs what is not installed yet. Returns why that is impossible here, if it is. */
export async function installFastmcp(): Promise<string | undefined> {
  const run = promisify(execFile);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PACKAGES];
  try {
    await run("python3", ["-m", "venv", PLACE]);
    await run(FASTMCP_PYTHON, pip);
    return undefined;
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string };
    return (stderr?.trim() || message).split("\n").at(-1);
  }
}

export interface LocalProcess {
  /** kill -9, awaited. */
  kill(): Promise<void>;
}

/** Starts FastMCP over HTTP. Resolves once it listens. `redisUrl`: its tasks outlive it there. */
export async function startFastmcp({
  port,
  redisUrl,
}: {
  port?: number;
  redisUrl?: string;
} = {}): Promise<LocalProcess & { url: string; port: number }> {
  const own = port ?? (await freePort());
  const url = `http://127.0.0.1:${own}/mcp`;
  const child = spawn(FASTMCP_PYTHON, [FASTMCP_SERVER, String(own)], {
    env: { ...process.env, ...(redisUrl && { FASTMCP_DOCKET_URL: redisUrl }) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-4_000);
  });
  await until(
    "FastMCP listens",
    async () => {
      if (child.exitCode !== null) throw new Error(`FastMCP has ended: ${said}`);
      return fetch(url).then(
        () => true,
        () => false,
      );
    },
    FASTMCP_PATIENCE_MS,
  );
  return { url, port: own, kill: () => killed(child) };
}

/** Starts a Redis that keeps everything in memory. Null where none is installed. */
export async function startRedis(): Promise<(LocalProcess & { url: string }) | null> {
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
  const ready = new Promise<boolean>((resolve) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      if (said.includes("Ready to accept connections")) resolve(true);
    });
    child.once("exit", () => resolve(false));
    child.once("error", () => resolve(false));
  });
  return (await ready) ? { url: `redis://127.0.0.1:${port}/0`, kill: () => killed(child) } : null;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
