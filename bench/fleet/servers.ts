/** Simulated servers in a process of their own, so that what they cost is not the engines' or the part's. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Behaviour {
  /** Each reply takes so long. */
  delayMs?: number;
  /** Each request is answered with 429 and this Retry-After, in seconds. */
  retryAfterS?: number;
  /** Connections are refused, and the open ones cut. */
  refuses?: boolean;
}

/** What a server was told, in order of arrival. `of`: our id of the task; of "turned away" the number of the server. */
export interface Sighting {
  what: "call" | "answer" | "cancel" | "turned away";
  of: string;
  /** By the wall clock, in ms. */
  at: number;
}

/** The first word of the handle of a task that no call has made; then its tool, its poll interval, and our id. */
export const SEEDED = "seeded";

/** What a task that works says first. */
export const FIRST_WORD = "reading";

export type Request =
  | { do: "listen"; servers: number }
  | { do: "behave"; at: number; behaviour: Behaviour }
  | { do: "seen" }
  | { do: "lateness"; of: number[] };

export interface Servers {
  /** By number. */
  urls: string[];
  behave(at: number, behaviour: Behaviour): Promise<void>;
  seen(): Promise<Sighting[]>;
  /** How late polls of `work` came since the last look, in ms: the gap to the poll before minus the interval. */
  lateness(of: number[]): Promise<number[]>;
  close(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("./server-process.ts", import.meta.url));

/** The caller closes them. */
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
