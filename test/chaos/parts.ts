/** The processes of a run: each can be killed with -9 at any moment, comes back, and never outlives the run. */
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Cluster, openCluster, writeRecord } from "../../scripts/database/cluster.ts";
import { type Server, startServer } from "../../scripts/database/server.ts";

export interface Part {
  name: string;
  /** There is a process: running, starting up or frozen. */
  alive(): boolean;
  start(): Promise<void>;
  /** kill -9, awaited. It stays down until `start()`. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
}

export interface Guard {
  watch(pid: number): void;
  forget(pid: number): void;
  close(): void;
}

/** A process of its own that kills the rest if this one dies without doing so. */
export function startGuard(): Guard {
  const child = fork(fileURLToPath(new URL("guard.ts", import.meta.url)), {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  const tell = (message: object) => {
    if (child.connected) child.send(message);
  };
  return {
    watch: (pid) => tell({ watch: pid }),
    forget: (pid) => tell({ forget: pid }),
    close: () => child.disconnect(),
  };
}

/** A part that ends by itself (its database was away) is started again after this, as a supervisor would. */
const RESTART_MS = 500;

/** A TypeScript file on our own Node. `onOwnEnd` is told each time it ended without being killed. */
export function nodePart(options: {
  name: string;
  script: string;
  args?: string[];
  environment: Record<string, string>;
  logs: string;
  guard: Guard;
  onOwnEnd(name: string): void;
}): Part {
  const { name, guard } = options;
  let child: ChildProcess | null = null;
  let wanted = false;
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const launch = () => {
    const log = openSync(join(options.logs, `${name}.log`), "a");
    // With a channel: it leaves signals of the terminal to us, and drains when we are gone.
    const started = spawn(process.execPath, [options.script, ...(options.args ?? [])], {
      stdio: ["ignore", log, log, "ipc"],
      env: {
        PATH,
        HOME,
        NODE_COMPILE_CACHE,
        NODE_ENV: "production",
        NEXT_TELEMETRY_DISABLED: "1",
        ...options.environment,
      },
    });
    closeSync(log);
    child = started;
    if (started.pid) guard.watch(started.pid);
    started.once("exit", () => {
      if (started.pid) guard.forget(started.pid);
      if (child === started) child = null;
      if (!wanted) return;
      options.onOwnEnd(name);
      setTimeout(() => wanted && child === null && launch(), RESTART_MS);
    });
  };
  return {
    name,
    alive: () => child !== null,
    async start() {
      wanted = true;
      if (child === null) launch();
    },
    async kill() {
      wanted = false;
      const dying = child;
      if (!dying) return;
      const gone = once(dying, "exit");
      dying.kill("SIGKILL");
      await gone;
    },
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
  };
}

export interface PostgresPart extends Part {
  superuserUrl: string;
}

/**
 * A Postgres of its own on a data folder and port that stay. It does not wait for the disk (fsync): what a killed
 * process has written, the kernel still has. Commits are written before they are acknowledged, as always.
 */
export async function postgresPart(options: {
  name: string;
  dataDir: string;
  port: number;
  superuserPassword: string;
  guard: Guard;
}): Promise<PostgresPart> {
  const { name, port, guard, superuserPassword } = options;
  writeRecord(options.dataDir, { port });
  const cluster: Cluster = await openCluster(options.dataDir, superuserPassword);
  let server: Server | null = null;
  let starting: Promise<void> = Promise.resolve();
  const launch = async () => {
    const started = await startServer(cluster, {
      detached: true,
      settings: ["fsync=off", "max_connections=300"],
    });
    guard.watch(started.pid);
    server = started;
    if (started.port !== port) throw new Error(`the port of ${name} was taken by another program`);
  };
  const start = () => {
    starting = launch();
    return starting;
  };
  await start();
  return {
    name,
    superuserUrl: `postgresql://postgres:${superuserPassword}@127.0.0.1:${port}/postgres`,
    alive: () => server !== null,
    start,
    async kill() {
      // Between its start and its first answer it is not ours to kill yet; that it failed is told by start().
      await starting.catch(() => {});
      const dying = server;
      if (!dying) return;
      server = null;
      process.kill(dying.pid, "SIGKILL");
      await dying.exited;
      guard.forget(dying.pid);
      // Its sessions end when they find it gone.
      await sleep(100);
    },
    freeze: () => void (server && process.kill(server.pid, "SIGSTOP")),
    thaw: () => void (server && process.kill(server.pid, "SIGCONT")),
  };
}
