import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { openStore } from "./store.ts";
import { createTools } from "./tools.ts";

/** An MCP server that tunnels a long process through four tools that answer at once. See README.md. */

const GRACE_MS = 1000;

const config = readConfig();
const store = await openStore(config.databaseUrl, config.stepMs);
// Both protocol revisions, without sessions: a client that was there before a restart notices nothing.
const mcp = toNodeHandler(createMcpHandler(() => createTools(store)));

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/mcp") return void mcp(request, response);
  const reading = pathname === "/ledger" ? store.ledger() : pathname === "/healthz" ? store.invoices() : null;
  if (!reading) return void response.writeHead(404).end();
  reading.then(
    (found) => response.setHeader("content-type", "application/json").end(JSON.stringify(found)),
    (error: unknown) => {
      console.error("reading failed", error);
      response.writeHead(500).end();
    },
  );
});

server.listen(config.port, config.host, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Tunnelled invoice server listening on http://${config.host}:${port}/mcp\n`);
});
server.on("error", (error) => {
  console.error(`cannot listen on ${config.host}:${config.port}`, error);
  process.exit(1);
});

if (process.send) {
  // A terminal sends Ctrl-C to the whole process group; the supervisor orders the stops.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  process.on("message", (message) => {
    if (typeof message === "object" && message !== null && "type" in message && message.type === "drain")
      void stop();
  });
  process.on("disconnect", () => void stop());
} else for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop());

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(0), 3 * GRACE_MS);
  server.close();
  setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
  await store.close().catch((error: unknown) => console.error("stopping", error));
  process.exit(0);
}

/** Settings, all from the environment. An invalid value stops the start. */
interface Config {
  host: string;
  /** 0 chooses a free port. */
  port: number;
  databaseUrl: string;
  /** How long a validation and a payment take. */
  stepMs: number;
}

function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return {
    host: env.TUNNEL_HOST || "127.0.0.1",
    port: numberFrom(env, "TUNNEL_PORT", null, 65_535),
    databaseUrl: required(env, "TUNNEL_DATABASE_URL"),
    stepMs: numberFrom(env, "TUNNEL_STEP_MS", 3000, Number.MAX_SAFE_INTEGER),
  };
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

function numberFrom(env: NodeJS.ProcessEnv, name: string, fallback: number | null, max: number): number {
  const text = env[name] || fallback?.toString() || required(env, name);
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0 || value > max) throw new Error(`${name} is not valid: ${text}`);
  return value;
}
