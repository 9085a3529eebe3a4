/** Installs one of the packages that only long tests need, or all of them at the same time: `install-own-packages.ts [NAME]`. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { installDebian } from "../../scripts/debian.ts";
import { installOwnPackage, installPython } from "./own-package.ts";

const INSTALLS: Record<string, () => void> = {
  "agent-clients": () => installOwnPackage("agent-clients", []),
  "coding-agents": () => installOwnPackage("coding-agents", []),
  "old-servers": () => installOwnPackage("old-servers", []),
  fastmcp: () => installPython("fastmcp"),
  aap: () => installPython("aap"),
  redis: installRedis,
};

const [name] = process.argv.slice(2);
if (name !== undefined) INSTALLS[name]!();
else {
  const ends = Object.keys(INSTALLS).map((each) => {
    const child = spawn(process.execPath, [import.meta.filename, each], { stdio: "inherit" });
    return once(child, "exit");
  });
  // The tests of a package that can't be installed say so and are left out.
  await Promise.all(ends);
}

function installRedis(): void {
  if (spawnSync("redis-server", ["--version"]).error)
    installDebian({ name: "Redis", apt: "redis-server", isService: true }, console.log);
}
