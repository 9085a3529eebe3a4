import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "../../lib/base/env.ts";
import { identityOf, isAlive, pidOf } from "../lock.mjs";

/** Allows one supervisor per data folder. `url`: where it will serve. Returns the release. */
export function lockDataFolder(dataDir: string, url: string): () => void {
  const path = lockPath(dataDir);
  const running = supervisorOf(dataDir);
  if (running) {
    throw new ConfigurationError(
      `Intray already runs on ${dataDir} (process ${running.pid}): stop that one first, or start with another INTRAY_DATA_DIR.`,
    );
  }
  rmSync(path, { force: true });
  writeFileSync(path, `${identityOf(process.pid)}\n${url}`, { flag: "wx" });
  return () => rmSync(path, { force: true });
}

/** Returns the process that runs on this data folder now, and where it serves, or undefined. */
export function supervisorOf(dataDir: string): { pid: number; url: string | undefined } | undefined {
  const path = lockPath(dataDir);
  if (!existsSync(path)) return undefined;
  // A file of an earlier version has no address.
  const [holder = "", url] = readFileSync(path, "utf8").split("\n");
  const pid = pidOf(holder);
  return isAlive(holder) && isSupervisor(pid) ? { pid, url } : undefined;
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
