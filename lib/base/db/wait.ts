import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { isDatabaseDown } from "./db.ts";

const AGAIN_MS = 1_000;

/**
 * Does `work`, which needs the database, as soon as that is there: a process that ended instead would be started again
 * and again, for as long as it is away. Says once that it waits, and once that it need not any more. What another start
 * would not mend either (a wrong password, a schema that is not there) is thrown at once.
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
