/** Programs of Debian that tests need. */
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Installs a package of Debian where this process may: as root of a machine with apt-get. `isService`: not where installing it would
 * start it. The caller looks whether the program is there now. `name`: as people call it.
 */
export function installDebian(
  { name, apt, isService }: { name: string; apt: string; isService: boolean },
  say: (line: string) => void,
): void {
  const mayInstall = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (!mayInstall || (isService && existsSync("/run/systemd/system"))) return;
  say(`Installing ${name} with apt-get …`);
  const options: SpawnSyncOptions = {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  spawnSync("apt-get", ["update", "-qq"], options);
  spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", apt], options);
}
