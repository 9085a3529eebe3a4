/**
 * Simulated servers in their own process, so that their cost counts neither for the engines nor for the part.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Behaviour {
  /** Delays each reply, in ms. */
  delayMs?: number;
  /** Answers each request with 429 and this Retry-After, in seconds. */
  retryAfterS?: number;
  /** Refuses connections and cuts the open ones. */
  refuses?: boolean;
}

/**
 * A call received by a server, in order of arrival. `of`: Intray's id of the task; for "turned away" the
 * server's number.
 */
export interface Sighting {
  what: "call" | "answer" | "cancel" | "turned away";
  of: string;
  /** By the wall clock, in ms. */
  at: number;
}

/**
 * The first word of the handle of a task that no call has made; its tool, its poll interval, and Intray's id
 * follow.
 */
export const SEEDED = "seeded";

/** The first status message of a `work` task. */
export const FIRST_WORD = "reading";

export type Request =
  | { do: "listen"; servers: number }
  | { do: "behave"; at: number; behaviour: Behaviour }
  | { do: "seen" }
  | { do: "lateness"; of: number[] };

export interface Servers {
  /** The URLs by server number. */
  urls: string[];
  behave(at: number, behaviour: Behaviour): Promise<void>;
  seen(): Promise<Sighting[]>;
  /**
   * How late polls of `work` came since the last read, in ms: the gap to the previous poll minus the
   * interval.
   */
  lateness(of: number[]): Promise<number[]>;
  close(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("./server-process.ts", import.meta.url));

/** Starts the simulated servers. The caller closes them. */
export async function startServers(servers: number): Promise<Servers> {
  const child = fork(SCRIPT, { execArgv: [], serialization: "advanced" });
  const waiting = new Map<number, (reply: unknown) => void>();
  let asked = 0;
  child.on("message", ({ id, reply }: { id: number; reply: unknown }) => {
    waiting.get(id)?.(reply);
    waiting.delete(id);
  });
  const ask = <T>(request: Request): Promise<T> =>
    new Promise((resolve) => {
      const id = ++asked;
      waiting.set(id, resolve as (reply: unknown) => void);
      child.send({ ...request, id });
    });
  const ports = await ask<number[]>({ do: "listen", servers });
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/mcp`),
    behave: (at, behaviour) => ask({ do: "behave", at, behaviour }),
    seen: () => ask({ do: "seen" }),
    lateness: (of) => ask({ do: "lateness", of }),
    async close() {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}
