import { writeFileSync } from "node:fs";
import { ALIVE_MS } from "./tunables.ts";

/**
 * Touches a file as long as the event loop turns, for health checks of an engine, which has no port
 * (ops/container/healthy.mjs). Says nothing about the database, whose outage a restart would not fix. Throws
 * if the file can't be written.
 */
export function touchWhileAlive(path: string): void {
  const touch = () => writeFileSync(path, "");
  touch();
  setInterval(touch, ALIVE_MS).unref();
}
