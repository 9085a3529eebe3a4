import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readRecord } from "../scripts/database/cluster.ts";
import { freePort } from "../scripts/ports.ts";

/** The first start of a slow machine: migrations, and the demonstration's data. The build was made before. */
const startMs = 120_000;
const drainMs = 40_000;

/** Starts Intray as `npm start` does, in demo mode, on a data folder of its own. E2E_URL names a running one instead. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.E2E_URL) return undefined;
  const dataDir = mkdtempSync(join(tmpdir(), "intray-e2e-"));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const intray = spawn(process.execPath, ["scripts/supervise.ts"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "production",
      INTRAY_DATA_DIR: dataDir,
      PORT: String(port),
      INVOICE_STEP_DELAY_MS: "200",
      LOG_LEVEL: "warn",
    },
  });
  const output: string[] = [];
  for (const stream of [intray.stdout, intray.stderr]) stream.on("data", (text) => output.push(String(text)));
  await ready(url, intray, output);
  process.env.E2E_URL = url;
  process.env.E2E_DATA_DIR = dataDir;

  return async () => {
    await stop(intray, dataDir);
    const elsewhere = readRecord(dataDir).home;
    for (const path of [dataDir, elsewhere]) if (path) rmSync(path, { recursive: true, force: true });
  };
}

async function ready(url: string, intray: ChildProcess, output: string[]): Promise<void> {
  const deadline = Date.now() + startMs;
  while (Date.now() < deadline && intray.exitCode === null) {
    const response = await fetch(`${url}/healthz`).catch(() => undefined); // not listening yet
    if (response?.ok) return;
    await sleep(200);
  }
  intray.kill("SIGTERM");
  throw new Error(`Intray did not start:\n${output.join("")}`);
}

async function stop(intray: ChildProcess, dataDir: string): Promise<void> {
  if (intray.exitCode !== null || intray.signalCode !== null) return;
  const ended = new Promise((resolve) => intray.once("exit", resolve));
  intray.kill("SIGTERM");
  if (await Promise.race([ended.then(() => true), sleep(drainMs, false)])) return;
  // Its other children end with it; Postgres is in a session of its own.
  const [postgres] = readFileSync(
    join(readRecord(dataDir).home ?? dataDir, "postgres", "postmaster.pid"),
    "utf8",
  ).split("\n");
  intray.kill("SIGKILL");
  process.kill(Number(postgres), "SIGQUIT");
}
