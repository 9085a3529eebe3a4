/** The lean server as its own process, with its counts. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Behaviour {
  /** The requested poll interval. */
  pollMs: number;
  /** Delays replies, in ms. */
  latencyMs: number;
  /** Holds standalone streams open; without it the server has none. */
  streams: boolean;
  /** The number of ports. */
  origins: number;
  /** Compresses replies, although nobody asks for that. */
  gzip: boolean;
  /** Paths of a key and a certificate in PEM. */
  tls: { key: string; cert: string } | null;
}

/** Counts since the last reset; `tasks`, `held` and `sockets` are current values. */
export interface Report {
  polls: number;
  /** In both directions, including HTTP headers. */
  bytes: number;
  /** Tasks that were polled at least once. */
  tasks: number;
  held: number;
  sockets: number;
  /** The time between two polls of a task, minus the requested interval. */
  lateMs: { p50: number; p99: number; max: number };
}

export interface SimulatedServer {
  urls: string[];
  report(): Promise<Report>;
  /** Resets the counts. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

const FILE = fileURLToPath(new URL("./lean-server.ts", import.meta.url));
const USUAL: Behaviour = { pollMs: 5_000, latencyMs: 0, streams: false, origins: 1, gzip: false, tls: null };

/** `file`: another server with the same counts (bench/sdk-servers). */
export async function startSimulated(
  behaviour: Partial<Behaviour> = {},
  file = FILE,
): Promise<SimulatedServer> {
  const child = spawn(process.execPath, [file, JSON.stringify({ ...USUAL, ...behaviour })], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const { ports } = await answerOf<{ ports: number[] }>(child);
  const ask = (what: "report" | "reset") => {
    const answer = answerOf<Report>(child);
    child.send(what);
    return answer;
  };
  const scheme = behaviour.tls ? "https" : "http";
  return {
    urls: ports.map((port) => `${scheme}://127.0.0.1:${port}/mcp`),
    report: () => ask("report"),
    reset: async () => void (await ask("reset")),
    async stop() {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

export function answerOf<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`A process of the bench has ended (${code})`));
    child.once("exit", onExit);
    child.once("message", (message) => {
      child.off("exit", onExit);
      resolve(message as T);
    });
  });
}
