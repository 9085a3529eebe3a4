import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { connectTimeoutMs } from "./db.ts";

/** Between two tries: until it hears again, whoever listens is late. */
const LONGEST_PAUSE_MS = 1_000;

/**
 * LISTENs on one connection of its own, for ever: a lost connection is made again. Notifications are a speed-up only,
 * some get lost in between, so `onConnected` tells the caller to look for itself after each (re)connection.
 */
export function listen(
  url: string,
  channel: string,
  handlers: { onNotification(payload: string): void; onConnected(): void; onError(error: unknown): void },
): { close(): Promise<void> } {
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));
  let client: pg.Client | null = null;

  const connect = async (current: pg.Client) => {
    await current.connect();
    await current.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  };
  const run = async () => {
    for (let failures = 0; !stop.signal.aborted; failures++) {
      const current = new pg.Client({
        connectionString: url,
        keepAlive: true,
        connectionTimeoutMillis: connectTimeoutMs(url),
      });
      client = current;
      const ended = new Promise<void>((resolve) => {
        current.on("error", (error) => {
          if (!stop.signal.aborted) handlers.onError(error);
          resolve();
        });
        current.on("end", resolve);
      });
      current.on("notification", (message) => handlers.onNotification(message.payload ?? ""));
      try {
        // A connection that is ended while it is made never says so.
        await Promise.race([connect(current), stopped]);
        if (stop.signal.aborted) break;
        failures = 0;
        handlers.onConnected();
        await ended;
      } catch (error) {
        if (!stop.signal.aborted) handlers.onError(error);
      }
      // Not waited for: on a connection that broke, end() may never settle.
      current.end().catch(() => undefined);
      await pause(Math.min(LONGEST_PAUSE_MS, 200 * 2 ** failures), undefined, { signal: stop.signal }).catch(
        () => undefined,
      );
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      client?.end().catch(() => undefined); // ended already: nothing to do
      await running;
    },
  };
}
