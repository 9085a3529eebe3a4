/** The engine process (`npm run engine`). Any number may run. */

import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { isDatabaseDown } from "../base/db/database-errors.ts";
import { ConfigurationError, env } from "../base/env.ts";
import { log } from "../base/log.ts";
import { installLastResort, onDrain } from "../base/process/lifecycle.ts";
import { startTracing } from "../base/tracing/start.ts";
import { openEngine } from "./open-engine.ts";
import { ALIVE_MS } from "./tunables.ts";

const AGAIN_MS = 1_000;

/**
 * Runs `work` as soon as the database is reachable, instead of crashing and restarting until then. Logs once
 * when waiting starts and once when it ends. Throws other errors at once (wrong password, missing schema),
 * since waiting would not fix them.
 */
async function whenDatabaseIsThere<T>(log: Logger, work: () => Promise<T>): Promise<T> {
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

const logger = log.child({ part: "engine" });
await run().catch(refuse);

async function run(): Promise<void> {
  const stopTracing = await startTracing("intray-engine");
  const { engine, start, close } = openEngine(logger);
  const end = async () => {
    await engine.stop();
    await close();
    await stopTracing();
  };
  onDrain(end);
  installLastResort(logger, end);
  const { aliveFile } = env();
  if (aliveFile) touchWhileAlive(aliveFile);
  await whenDatabaseIsThere(logger, start);
  logger.info({ id: engine.id }, "the engine runs");
}

/** Exits without a retry, which would fail the same way until somebody changes something. */
function refuse(error: unknown): never {
  if (error instanceof ConfigurationError) process.stderr.write(`${error.message}\n`);
  else logger.fatal({ err: error }, "the engine can't start");
  process.exit(1);
}

/**
 * Touches a file as long as the event loop turns, for health checks of an engine, which has no port
 * (ops/container/healthy.mjs). Says nothing about the database, whose outage a restart would not fix. Throws
 * if the file can't be written.
 */
function touchWhileAlive(path: string): void {
  const touch = () => writeFileSync(path, "");
  touch();
  setInterval(touch, ALIVE_MS).unref();
}
