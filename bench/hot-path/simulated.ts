/** The lean server as a process of its own, and what it has counted. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Behaviour {
  /** The interval that it asks for. */
  pollMs: number;
  /** Its answers take so long. */
  latencyMs: number;
  /** It holds standalone streams open; else it has none. */
  streams: boolean;
  /** Ports that it listens on. */
  origins: number;
  /** Its replies are packed, though nobody asks for that. */
  gzip: boolean;
  /** Files of a key and a certificate in PEM. */
  tls: { key: string; cert: string } | null;
}

/** Since the last reset; `tasks`, `held` and `sockets` as they are. */
export interface Report {
  polls: number;
  /** In both directions, HTTP and all. */
  bytes: number;
  /** That were polled at least once. */
  tasks: number;
  held: number;
  sockets: number;
  /** The time between two polls of a task, less what was asked. */
  lateMs: { p50: number; p99: number; max: number };
}

export interface SimulatedServer {
  urls: string[];
  report(): Promise<Report>;
  /** Begins to count anew. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

const FILE = fileURLToPath(new URL("./lean-server.ts", import.meta.url));
const USUAL: Behaviour = { pollMs: 5_000, latencyMs: 0, streams: false, origins: 1, gzip: false, tls: null };

/** `file`: another server that counts the same (bench/sdk-servers). */
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
