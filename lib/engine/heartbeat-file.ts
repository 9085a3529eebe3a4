import { writeFileSync } from "node:fs";
import { ALIVE_MS } from "./tunables.ts";

/**
 * Touches a file as long as the event loop turns, for those who watch an engine that has no port (a container's health
 * check, ops/container/healthy.mjs). Says nothing of the database, which another start of the process would not bring
 * back. Throws where the file can't be written.
 */
export function touchWhileAlive(path: string): void {
  const touch = () => writeFileSync(path, "");
  touch();
  setInterval(touch, ALIVE_MS).unref();
}
