import type { Logger } from "pino";

/** Limits an orderly shutdown after an uncaught exception, when the process's state is unknown. */
const END_WITHIN_MS = 10_000;

/**
 * Handles errors that no code has caught. After an unhandled rejection the process goes on: the failed work
 * is in the rows and will be done again. After an uncaught exception memory may be inconsistent: `end` is
 * tried, and the process exits with 1, to be restarted.
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
