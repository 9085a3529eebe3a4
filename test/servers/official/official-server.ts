/** Starts servers of 2025-11-25 by the protocol's makers, over streamable HTTP, each in its own process. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../scripts/ports.ts";

export interface OfficialServer {
  url: string;
  hostAndPort: string;
  stop(): Promise<void>;
}

const EXAMPLES = "sdk/dist/esm/examples/server";
const PROGRAMS = {
  everything: ["server-everything/dist/index.js", "streamableHttp"],
  simpleTaskInteractive: [`${EXAMPLES}/simpleTaskInteractive.js`],
  simpleStreamableHttp: [`${EXAMPLES}/simpleStreamableHttp.js`],
};
export type OfficialName = keyof typeof PROGRAMS;

/** Resolves once the server listens on a free port. `patient`: its questions do not expire after a minute (patient-requests.mjs). */
export async function startOfficialServer(
  name: OfficialName,
  { patient = false } = {},
): Promise<OfficialServer> {
  const port = await freePort();
  const [program = "", ...args] = PROGRAMS[name];
  const path = new URL(`../../../node_modules/@modelcontextprotocol/${program}`, import.meta.url);
  const preload = patient ? ["--import", new URL("patient-requests.mjs", import.meta.url).href] : [];
  const child = spawn(process.execPath, [...preload, fileURLToPath(path), ...args], {
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
    child.once("exit", () => reject(new Error(`${name} did not start: ${output}`)));
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
