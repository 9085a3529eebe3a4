import type { Logger } from "pino";

/** So long an orderly end may take once nobody knows what state the process is in. */
const END_WITHIN_MS = 10_000;

/**
 * What no code has owned ends here, in plain sight. A promise that failed with nobody waiting for it has failed alone:
 * what it was to do is in the rows, and is done again, so the process goes on. What was thrown out of a timer or an
 * event may have left anything half done in memory: `end` is tried, and the process exits with 1, to be started anew.
 */
export function installLastResort(log: Logger, end: () => Promise<void>): void {
  process.on("unhandledRejection", (reason) => {
    log.error({ err: reason }, "a promise failed that nobody waits for");
  });
  let isEnding = false;
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "an error came from nowhere: the process ends");
    if (isEnding) return;
    isEnding = true;
    const exit = () => process.exit(1);
    setTimeout(exit, END_WITHIN_MS).unref();
    end().then(exit, (failure: unknown) => {
      log.error({ err: failure }, "the end was not in order");
      exit();
    });
  });
}
