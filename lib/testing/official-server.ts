/** Starts the example servers that come with the official package of 2025-11-25, each in a process of its own. */
import { spawn } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

export interface OfficialServer {
  url: string;
  hostAndPort: string;
  stop(): Promise<void>;
}

/** `simpleTaskInteractive` or `simpleStreamableHttp`, listening on a free port once this resolves. */
export async function startOfficialServer(
  example: "simpleTaskInteractive" | "simpleStreamableHttp",
): Promise<OfficialServer> {
  const port = await freePort();
  const folder = new URL(
    "../../node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/",
    import.meta.url,
  );
  const child = spawn(process.execPath, [fileURLToPath(new URL(`${example}.js`, folder))], {
    env: { ...process.env, PORT: String(port), MCP_PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const onOutput = (chunk: Buffer) => {
      output += chunk;
      if (/listening|running|http:\/\//i.test(output)) resolve();
    };
    child.stdout.on("data", onOutput);
    child.stderr.on("data", onOutput);
    child.once("exit", () => reject(new Error(`${example} did not start: ${output}`)));
  });
  const hostAndPort = `127.0.0.1:${port}`;
  return {
    url: `http://${hostAndPort}/mcp`,
    hostAndPort,
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
