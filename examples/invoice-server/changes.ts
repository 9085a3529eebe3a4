import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { log } from "./log.ts";

/** Notifies this process of changed tasks through Postgres, so that changes by the command line count too. */
export type Changes = {
  /** Calls back with the task id after every visible change. */
  subscribe: (listener: (taskId: string) => void) => () => void;
  /**
   * Resolves at the next change of the task, when `signal` aborts, or after 15 s in case a notification was
   * lost.
   */
  next: (taskId: string, signal: AbortSignal) => Promise<void>;
  close: () => Promise<void>;
};

const LOOK_ANYWAY_MS = 15_000;

export async function listenForChanges(url: string): Promise<Changes> {
  const emitter = new EventEmitter().setMaxListeners(0);
  let closed = false;
  let client = await connect();

  async function connect(): Promise<pg.Client> {
    const next = new pg.Client({ connectionString: url });
    next.on("notification", ({ payload }) => {
      if (!payload) return;
      emitter.emit("change", payload);
      emitter.emit(`change ${payload}`);
    });
    next.on("error", (error) => log.info("the listening connection failed", error));
    await next.connect();
    await next.query("listen invoice_task");
    next.on("end", () => void reconnect());
    return next;
  }

  async function reconnect(): Promise<void> {
    while (!closed) {
      await sleep(1000);
      try {
        client = await connect();
        return;
      } catch (error) {
        log.info("cannot listen to the database yet", error);
      }
    }
  }

  return {
    subscribe: (listener) => {
      emitter.on("change", listener);
      return () => emitter.off("change", listener);
    },
    next: async (taskId, signal) => {
      const enough = AbortSignal.any([signal, AbortSignal.timeout(LOOK_ANYWAY_MS)]);
      await once(emitter, `change ${taskId}`, { signal: enough }).catch((error: unknown) => {
        if (!enough.aborted) throw error;
      });
    },
    close: async () => {
      closed = true;
      await client.end();
    },
  };
}
