/**
 * How our long-running processes end. Under the supervisor (with an IPC channel), a process ignores the
 * terminal's signals, and drains when the supervisor says so or the channel closes. Started by hand, a
 * process drains at the first signal and stops at the second.
 */

import type { Logger } from "pino";
import { onePerProcess } from "./process-wide.ts";

const draining = onePerProcess("drain", () => new AbortController())();

/** Aborted when the process begins to drain. Long responses (event streams) should end then. */
export function drainSignal(): AbortSignal {
  return draining.signal;
}

/** Calls `handler` once when the process should drain, then exits. Call once, early. */
export function onDrain(handler: () => Promise<void> | void): void {
  const supervised = process.send !== undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (supervised) return;
      if (draining.signal.aborted) process.exit(1);
      drain(handler);
    });
  }
  if (!supervised) return;
  process.on("disconnect", () => drain(handler));
  process.on("message", (message: { type?: string }) => {
    if (message?.type === "drain") drain(handler);
  });
}

async function drain(handler: () => Promise<void> | void): Promise<void> {
  if (draining.signal.aborted) return;
  draining.abort();
  try {
    await handler();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`The shutdown failed: ${error instanceof Error ? error.stack : error}\n`);
    process.exit(1);
  }
}

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
