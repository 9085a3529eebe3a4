import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { ConfigurationError } from "../../lib/base/env.ts";
import { freePort } from "../ports.ts";
import { postgresEnvironment } from "./account.ts";
import { type Cluster, readRecord, writeRecord } from "./cluster.ts";

/** A running Postgres: one that we started, or one that an earlier start left behind. */
export type Server = {
  port: number;
  pid: number;
  adopted: boolean;
  exited: Promise<void>;
  /** fast: ends sessions and writes data. immediate: as after a crash, with recovery at the next start. */
  stop(mode: "fast" | "immediate"): Promise<void>;
};

export type Options = {
  /** Other processes know the port, so the start waits for it while another program holds it. */
  keepPort?: boolean;
  /** More `-c` settings. */
  settings?: string[];
  /** Outside the terminal's process group, whose Ctrl-C would stop Postgres before its users. */
  detached?: boolean;
};

const patienceMs = 10_000;

/** Starts the cluster's server, or adopts a running one. Throws ConfigurationError with the log's end. */
export async function startServer(cluster: Cluster, options: Options = {}): Promise<Server> {
  const deadline = Date.now() + patienceMs;
  let sockets = socketFolder(cluster);
  for (;;) {
    const running = await adopt(cluster);
    if (running) return running;
    const port = readRecord(cluster.dataDir).port ?? (await rememberNewPort(cluster));
    const started = await launch(cluster, port, options, sockets);
    if (typeof started !== "string") return started;
    if (sockets && /could not create any Unix-domain sockets/.test(started)) {
      // As on a mounted folder of another system.
      sockets = undefined;
      continue;
    }
    const dying = /lock file ".*" already exists|pre-existing shared memory/.test(started);
    const portTaken = /could not bind|could not create any TCP\/IP sockets/.test(started);
    if (!(dying || portTaken) || Date.now() > deadline) {
      const lines = started.trim().split("\n").slice(-4).join("\n  ");
      throw new ConfigurationError(`The embedded Postgres does not start (${cluster.logFile}):\n  ${lines}`);
    }
    if (portTaken && !options.keepPort) await rememberNewPort(cluster);
    else await sleep(300);
  }
}

async function rememberNewPort(cluster: Cluster): Promise<number> {
  const port = await freePort();
  writeRecord(cluster.dataDir, { ...readRecord(cluster.dataDir), port });
  return port;
}

/** Returns the cluster's running server, once it answers with our password and names our folder. */
async function adopt(cluster: Cluster): Promise<Server | undefined> {
  const lock = readLock(cluster);
  if (!lock) return undefined;
  while (alive(lock.pid)) {
    const answer = await ask(cluster, lock.port);
    if (answer === "ours") {
      return {
        ...lock,
        adopted: true,
        exited: goneByPolling(lock.pid),
        stop: (mode) => stop(lock.pid, mode),
      };
    }
    if (answer !== "busy") return undefined;
    await sleep(100);
  }
  return undefined;
}

/**
 * Reads postmaster.pid of a live Postgres. After a crash another process may have the pid, or Postgres is a zombie. Then
 * removes the lock files, because Postgres would take the process with this pid for their holder.
 */
function readLock(cluster: Cluster): { pid: number; port: number } | undefined {
  const path = join(cluster.folder, "postmaster.pid");
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8").split("\n");
  const pid = Number(lines[0]);
  if (!alive(pid)) return undefined;
  if (process.platform === "linux" && !readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("postgres")) {
    const sockets = readdirSync(cluster.folder).filter((name) => name.startsWith(".s.PGSQL."));
    for (const name of ["postmaster.pid", ...sockets]) rmSync(join(cluster.folder, name), { force: true });
    return undefined;
  }
  return { pid, port: Number(lines[3]) };
}

/** Longest path of a Unix socket on any system that Intray runs on, in bytes. */
const LONGEST_SOCKET_PATH = 103;

/** The file's name, as Postgres chooses it. */
const socketName = (port: number) => `.s.PGSQL.${port}`;

/**
 * Postgres's own folder, which only its account and root enter; undefined where its path is no address of a Unix socket,
 * or not one that Postgres takes in a list.
 */
function socketFolder({ folder }: Cluster): string | undefined {
  const path = join(folder, `${socketName(65_535)}.lock`);
  const isTaken =
    process.platform !== "win32" && Buffer.byteLength(path) <= LONGEST_SOCKET_PATH && !/[",]/.test(path);
  return isTaken ? folder : undefined;
}

/**
 * The host of a connection string: a Unix socket's folder where there is one, since a query over it takes a third less
 * CPU time than over TCP. One that an earlier version started has none.
 */
export function hostOf(cluster: Cluster, port: number): string {
  const folder = socketFolder(cluster);
  return folder && existsSync(join(folder, socketName(port))) ? encodeURIComponent(folder) : "127.0.0.1";
}

async function launch(
  cluster: Cluster,
  port: number,
  options: Options,
  sockets: string | undefined,
): Promise<Server | string> {
  const tooLong = existsSync(cluster.logFile) && statSync(cluster.logFile).size > 5_000_000;
  const log = openSync(cluster.logFile, tooLong ? "w" : "a", 0o600);
  const logStart = statSync(cluster.logFile).size;
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${sockets ?? ""}`,
    "timezone=UTC",
    "log_timezone=UTC",
    "log_checkpoints=off",
    // Statements may contain people's texts, so the log omits them.
    "log_min_error_statement=panic",
    ...(options.settings ?? []),
  ].flatMap((setting) => ["-c", setting]);
  const child = spawn(
    join(cluster.binaries, "bin", "postgres"),
    ["-D", cluster.folder, "-p", String(port), ...settings],
    {
      ...cluster.account,
      cwd: "/",
      detached: options.detached ?? false,
      stdio: ["ignore", log, log],
      env: postgresEnvironment(),
    },
  );
  closeSync(log);
  let failure: string | undefined;
  const exited = new Promise<void>((resolve) => {
    child.on("error", (error) => {
      failure = error.message;
      resolve();
    });
    child.on("exit", () => {
      failure ??= readFileSync(cluster.logFile, "utf8").slice(logStart);
      resolve();
    });
  });
  while (failure === undefined) {
    const answer = await ask(cluster, port);
    const pid = child.pid;
    if (answer === "ours" && pid !== undefined) {
      return { pid, port, adopted: false, exited, stop: (mode) => stop(pid, mode) };
    }
    await Promise.race([sleep(answer === "foreign" ? 2_000 : 40), exited]);
    if (answer === "foreign" && pid !== undefined && failure === undefined) {
      // The port is ours, since another program on it would have kept our server from listening.
      await stop(pid, "fast");
      return "Its password is not the one in secrets.json.";
    }
  }
  return failure;
}

/** busy: starting, recovering or shutting down. */
async function ask(cluster: Cluster, port: number): Promise<"ours" | "busy" | "silent" | "foreign"> {
  const client = new pg.Client({
    host: "127.0.0.1",
    port,
    user: "postgres",
    password: cluster.superuserPassword,
    database: "postgres",
    connectionTimeoutMillis: 3000,
  });
  client.on("error", () => {}); // a lost connection becomes an answer below
  try {
    await client.connect();
    const { rows } = await client.query("show data_directory");
    return rows[0].data_directory === cluster.folder ? "ours" : "foreign";
  } catch (error) {
    const code = (error as { code?: string }).code;
    if (code === "57P03") return "busy";
    return code === "28P01" ? "foreign" : "silent";
  } finally {
    await client.end().catch(() => {}); // it may never have been open
  }
}

async function stop(pid: number, mode: "fast" | "immediate"): Promise<void> {
  if (alive(pid)) process.kill(pid, mode === "fast" ? "SIGINT" : "SIGQUIT");
  while (alive(pid)) await sleep(30);
}

/** Waits by polling, since a process that is not our child has no exit event. */
async function goneByPolling(pid: number): Promise<void> {
  while (alive(pid)) await sleep(300, undefined, { ref: false });
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
