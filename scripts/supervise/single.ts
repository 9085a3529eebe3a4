import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "../../lib/env.ts";

/** One supervisor a data folder. Returns the release. */
export function lockDataFolder(dataDir: string): () => void {
  const path = lockPath(dataDir);
  const holder = supervisorOf(dataDir);
  if (holder) {
    throw new ConfigurationError(
      `Intray already runs on ${dataDir} (process ${holder}): stop that one first, or start with another INTRAY_DATA_DIR.`,
    );
  }
  rmSync(path, { force: true });
  writeFileSync(path, String(process.pid), { flag: "wx" });
  return () => rmSync(path, { force: true });
}

/** The process that runs on this data folder now, if one does. */
export function supervisorOf(dataDir: string): number | undefined {
  const path = lockPath(dataDir);
  if (!existsSync(path)) return undefined;
  const pid = Number(readFileSync(path, "utf8"));
  return isSupervisor(pid) ? pid : undefined;
}

/** After a crash the same number may be another program's by now. */
function isSupervisor(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("supervise");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function lockPath(dataDir: string): string {
  return join(dataDir, "supervisor.pid");
}
