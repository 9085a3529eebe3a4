/** The sample invoice servers in processes of their own, on databases of their own, so that they can be killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";

export interface InvoiceServer {
  url: string;
  /** Without /mcp. */
  baseUrl: string;
  hostAndPort: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Starts the server on a free port with no pauses between its steps. `kill()` is a kill -9; `start()`
 * restarts it on the same port.
 */
export function startInvoiceServer(
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<InvoiceServer> {
  return startServer("invoice-server", (port) => ({
    INVOICE_DATABASE_URL: databaseUrl,
    INVOICE_PORT: String(port),
    INVOICE_STEP_DELAY_MS: "0",
    INVOICE_RECONCILE_MS: "100",
    INVOICE_LOG: "error",
    ...settings,
  }));
}

/** As `startInvoiceServer`, the server of four tools that answer at once. */
export function startTunnelledServer(databaseUrl: string): Promise<InvoiceServer> {
  return startServer("tunnelled-invoice-server", (port) => ({
    TUNNEL_DATABASE_URL: databaseUrl,
    TUNNEL_PORT: String(port),
    TUNNEL_STEP_MS: "300",
  }));
}

async function startServer(
  name: string,
  environment: (port: number) => Record<string, string>,
): Promise<InvoiceServer> {
  const main = fileURLToPath(new URL(`../../examples/${name}/main.ts`, import.meta.url));
  let running: ChildProcess | null = null;
  let port = 0;
  const start = async () => {
    const { PATH, HOME, LANG, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [main], {
      env: {
        PATH,
        HOME,
        LANG,
        NODE_COMPILE_CACHE,
        ...environment(port),
      } as Record<string, string | undefined> as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "inherit"],
    });
    running = child;
    const lines = createInterface({ input: child.stdout });
    const exited = once(child, "exit").then(() => {
      throw new Error(`the ${name} ended before it listened`);
    });
    const [line] = await Promise.race([once(lines, "line"), exited]);
    port = Number(/:(\d+)\/mcp/.exec(String(line))?.[1]);
    exited.catch(() => undefined); // tests kill it on purpose
  };
  await start();
  const base = () => `http://127.0.0.1:${port}`;
  return {
    get url() {
      return `${base()}/mcp`;
    },
    get baseUrl() {
      return base();
    },
    get hostAndPort() {
      return `127.0.0.1:${port}`;
    },
    async kill() {
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const gone = once(running, "exit");
      running.kill("SIGKILL");
      await gone;
    },
    start,
  };
}

/** Makes an empty database for the server, beside the test's own. */
export async function createInvoiceDatabase(
  adminUrl: string,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `invoice_test_${Math.random().toString(36).slice(2, 12)}`;
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}
