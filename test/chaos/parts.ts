/** The processes of a run: each can be killed with -9 at any moment, restarts, and never outlives the run. */
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
  /** The process exists: running, starting up or frozen. */
  alive(): boolean;
  start(): Promise<void>;
  /** kill -9, awaited. The part stays down until `start()`. */
  kill(): Promise<void>;
  /** SIGSTOP; `thaw()` is SIGCONT. */
  freeze(): void;
  thaw(): void;
}

export interface Guard {
  watch(pid: number): void;
  forget(pid: number): void;
  close(): void;
}

/** Starts a process that kills the others if this one dies first. */
export function startGuard(): Guard {
  const child = fork(fileURLToPath(new URL("guard.ts", import.meta.url)), {
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  const send = (message: object) => {
    if (child.connected) child.send(message);
  };
  return {
    watch: (pid) => send({ watch: pid }),
    forget: (pid) => send({ forget: pid }),
    close: () => child.disconnect(),
  };
}

/** How long after its own end (its database was down) a part is restarted, as a supervisor would. */
const RESTART_MS = 500;

/** A TypeScript file on our own Node. `onOwnEnd` is called each time the process ended unkilled. */
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
    // With a channel: the process leaves the terminal's signals to us, and drains when we are gone.
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
 * A Postgres on its own data folder and port, which it keeps. It does not wait for the disk (fsync), since
 * the kernel keeps a killed process's writes. Commits are written before they are acknowledged, as always.
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
      // A starting server is not ours to kill yet; start() reports a failure.
      await starting.catch(() => {});
      const dying = server;
      if (!dying) return;
      server = null;
      process.kill(dying.pid, "SIGKILL");
      await dying.exited;
      guard.forget(dying.pid);
      // Its sessions end when they notice its end.
      await sleep(100);
    },
    freeze: () => void (server && process.kill(server.pid, "SIGSTOP")),
    thaw: () => void (server && process.kill(server.pid, "SIGCONT")),
  };
}
