import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "../../lib/base/env.ts";
import { identityOf, isAlive, pidOf } from "../lock.mjs";

/** Allows one supervisor per data folder. Returns the release. */
export function lockDataFolder(dataDir: string): () => void {
  const path = lockPath(dataDir);
  const holder = supervisorOf(dataDir);
  if (holder) {
    throw new ConfigurationError(
      `Intray already runs on ${dataDir} (process ${holder}): stop that one first, or start with another INTRAY_DATA_DIR.`,
    );
  }
  rmSync(path, { force: true });
  writeFileSync(path, identityOf(process.pid), { flag: "wx" });
  return () => rmSync(path, { force: true });
}

/** Returns the process that runs on this data folder now, or undefined. */
export function supervisorOf(dataDir: string): number | undefined {
  const path = lockPath(dataDir);
  if (!existsSync(path)) return undefined;
  const holder = readFileSync(path, "utf8");
  return isAlive(holder) && isSupervisor(pidOf(holder)) ? pidOf(holder) : undefined;
}

/** A file of an earlier version holds only the number, which another program may have by now. */
function isSupervisor(pid: number): boolean {
  return (
    process.platform !== "linux" ||
    /scripts\/(supervise|dev\/dev)\.ts/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8"))
  );
}

function lockPath(dataDir: string): string {
  return join(dataDir, "supervisor.pid");
}
