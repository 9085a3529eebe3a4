import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { isDatabaseDown } from "./database-errors.ts";

const AGAIN_MS = 1_000;

/**
 * Runs `work` as soon as the database is reachable, instead of crashing and restarting until then. Logs once
 * when waiting starts and once when it ends. Throws other errors at once (wrong password, missing schema),
 * since waiting would not fix them.
 */
export async function whenDatabaseIsThere<T>(log: Logger, work: () => Promise<T>): Promise<T> {
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      const done = await work();
      if (isWaiting) log.info("the database is there");
      return done;
    } catch (error) {
      if (!isDatabaseDown(error)) throw error;
      if (!isWaiting) log.warn({ err: error }, "the database is away: waiting for it");
    }
    await sleep(AGAIN_MS);
  }
}
