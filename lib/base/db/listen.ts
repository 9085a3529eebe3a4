import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { connectTimeoutMs, KEEP_ALIVE } from "./db.ts";

/** Longest pause between two connection attempts; the listener misses notifications meanwhile. */
const LONGEST_PAUSE_MS = 1_000;

/**
 * LISTENs on a dedicated connection and reconnects after every loss. Notifications during a loss are missed,
 * so `onConnected` tells the caller to look for itself after each (re)connection.
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
        ...KEEP_ALIVE,
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
        // A connection that is ended while connecting never settles.
        await Promise.race([connect(current), stopped]);
        if (stop.signal.aborted) break;
        failures = 0;
        handlers.onConnected();
        await ended;
      } catch (error) {
        if (!stop.signal.aborted) handlers.onError(error);
      }
      // Not awaited: end() may never settle on a broken connection.
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
      client?.end().catch(() => undefined); // already ended
      await running;
    },
  };
}
