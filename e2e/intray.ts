/** Intray as `npm start` runs it, on a data folder and ports of its own, with its processes in reach for kills. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { readRecord } from "../scripts/database/cluster.ts";
import { freePort } from "../scripts/ports.ts";

export type PartName = "engine" | "web" | "invoice" | "postgres";

export interface Intray {
  url: string;
  /** The sample server's, for its ledger and for forcing payments. */
  invoiceUrl: string;
  dataDir: string;
  /** Kills a part with -9, or sends it another signal; false: it does not run at the moment. */
  kill(part: PartName, signal?: "SIGSTOP" | "SIGCONT"): Promise<boolean>;
  /** Runs the command line and returns what it prints. */
  command(...words: string[]): Promise<string>;
  /** What it logged as errors, and what `npm start` itself has said: shortened. */
  errors(): string[];
  /** Drains and starts again on the same data. */
  restart(): Promise<void>;
  /** Drains; what is left is killed and the data folder removed. */
  stop(): Promise<void>;
}

/** The first start of a slow machine: migrations, and the demonstration's data. The build was made before. */
const START_MS = 120_000;
const DRAIN_MS = 40_000;

const SCRIPTS: Record<Exclude<PartName, "postgres">, string> = {
  engine: "lib/engine/main.ts",
  web: "scripts/web.ts",
  invoice: "examples/invoice-server/main.ts",
};

export async function startIntray(settings: Record<string, string> = {}): Promise<Intray> {
  const dataDir = mkdtempSync(join(tmpdir(), "intray-e2e-"));
  const port = await freePort();
  const invoicePort = await freePort();
  const url = `http://localhost:${port}`;
  const environment = {
    ...environmentOf(dataDir, String(port)),
    INVOICE_PORT: String(invoicePort),
    LOG_LEVEL: "warn",
    // Tests begin with an empty demonstration, unless one is about what stands in it.
    INTRAY_DEMO_TASKS: "0",
    ...settings,
  };
  const output: string[] = [];
  const start = async () => {
    const started = spawn(process.execPath, ["scripts/supervise.ts"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: environment,
    });
    for (const stream of [started.stdout, started.stderr])
      stream.on("data", (text) => {
        output.push(String(text));
        if (process.env.E2E_OUTPUT) process.stderr.write(text);
      });
    await ready(url, started, output);
    return started;
  };
  let supervisor = await start();

  return {
    url,
    invoiceUrl: `http://127.0.0.1:${invoicePort}`,
    dataDir,
    async kill(part, signal) {
      const pid = part === "postgres" ? postmasterOf(dataDir) : childOf(supervisor.pid!, SCRIPTS[part]);
      if (pid === null) return false;
      process.kill(pid, signal ?? "SIGKILL");
      return true;
    },
    command: (...words) => runCommand(environment, words),
    errors() {
      const lines = output.join("").split("\n");
      const isOfStart = (line: string) => !/^\[\w+\] \{/.test(line);
      return lines
        .filter((line) => line.includes('"level":50') || isOfStart(line))
        .map((line) => line.slice(0, 1_500));
    },
    async restart() {
      await stop(supervisor, dataDir);
      supervisor = await start();
    },
    async stop() {
      await stop(supervisor, dataDir);
      const elsewhere = readRecord(dataDir).home;
      for (const path of [dataDir, elsewhere]) if (path) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Runs the command line of the Intray that the files of a worker share. */
export function command(...words: string[]): Promise<string> {
  const { E2E_DATA_DIR = "", E2E_URL = "" } = process.env;
  return runCommand(environmentOf(E2E_DATA_DIR, new URL(E2E_URL).port), words);
}

async function runCommand(environment: NodeJS.ProcessEnv, words: string[]): Promise<string> {
  const args = ["scripts/cli.ts", ...words];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
  return stdout.trim();
}

function environmentOf(dataDir: string, port: string) {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    NODE_ENV: "production" as const,
    INTRAY_DATA_DIR: dataDir,
    PORT: port,
  };
}

async function ready(url: string, supervisor: ChildProcess, output: string[]): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline && supervisor.exitCode === null) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined); // not listening yet
    if (response?.ok) return;
    await sleep(200);
  }
  supervisor.kill("SIGTERM");
  throw new Error(`Intray did not start:\n${output.join("")}`);
}

async function stop(supervisor: ChildProcess, dataDir: string): Promise<void> {
  if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
  const ended = new Promise((resolve) => supervisor.once("exit", resolve));
  supervisor.kill("SIGTERM");
  if (await Promise.race([ended.then(() => true), sleep(DRAIN_MS, false)])) return;
  // Its other children end with it; Postgres is in a session of its own.
  const postgres = postmasterOf(dataDir);
  supervisor.kill("SIGKILL");
  if (postgres !== null) process.kill(postgres, "SIGQUIT");
}

function postmasterOf(dataDir: string): number | null {
  try {
    const file = join(readRecord(dataDir).home ?? dataDir, "postgres", "postmaster.pid");
    const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("postgres") ? pid : null;
  } catch {
    return null; // between two of its lives
  }
}

/** The process of ours that runs a script; by its parent, so that no other Intray of the machine is met. */
function childOf(parent: number, script: string): number | null {
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const ppid = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      if (ppid === parent && readFileSync(`/proc/${entry}/cmdline`, "utf8").includes(script))
        return Number(entry);
    } catch {
      // ended while we looked
    }
  }
  return null;
}
