/** The real FastMCP 3. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../scripts/ports.ts";
import { until } from "../../fixtures/organization-fixture.ts";
import { installPython } from "../../setup/own-package.ts";

export const FASTMCP_SERVER = fileURLToPath(new URL("server.py", import.meta.url));
/** How long a step of a FastMCP server may take. */
export const FASTMCP_PATIENCE_MS = 180_000;

/** Installs what is not installed yet, and returns its Python. Throws where that is impossible. */
export const installFastmcp = () => installPython("fastmcp");

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
  const child = spawn(installFastmcp(), [FASTMCP_SERVER, String(own)], {
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
