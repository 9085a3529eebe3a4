/** The programs of Debian's packages that the check needs, and how it runs them. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "../../lib/base/env.ts";
import { type Account, postgresEnvironment } from "../../scripts/database/account.ts";
import type { Guard } from "../chaos/parts.ts";

const PACKAGES = { etcd: "etcd-server", patroni: "patroni", haproxy: "haproxy" } as const;
const POSTGRES = "/usr/lib/postgresql";
const FOLDERS = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/bin"];

export type Programs = Record<keyof typeof PACKAGES, string> & {
  /** The folder of `postgres` and `initdb`. */
  postgres: string;
};

/** Throws a ConfigurationError that names the packages to install. */
export function findPrograms(): Programs {
  const missing: string[] = [];
  const find = (name: keyof typeof PACKAGES): string => {
    const path = FOLDERS.map((folder) => join(folder, name)).find((each) => existsSync(each));
    if (!path) missing.push(PACKAGES[name]);
    return path ?? "";
  };
  const found = { etcd: find("etcd"), patroni: find("patroni"), haproxy: find("haproxy") };
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).map(Number) : [];
  const postgres = join(POSTGRES, String(Math.max(0, ...versions)), "bin");
  if (!existsSync(join(postgres, "initdb"))) missing.push("postgresql");
  if (missing.length > 0)
    throw new ConfigurationError(
      `Programs are missing. On Debian: apt-get install --no-install-recommends ${missing.join(" ")}`,
    );
  return { ...found, postgres };
}

/** A process that can be killed and frozen, and that ends with this one. */
export interface Program {
  pid(): number | null;
  start(): void;
  /** kill -9, awaited. */
  kill(): Promise<void>;
}

export function program(
  command: string,
  args: string[],
  { log, guard, account, folder }: { log: string; guard: Guard; account: Account; folder: string },
): Program {
  let child: ChildProcess | null = null;
  return {
    pid: () => child?.pid ?? null,
    start() {
      const file = openSync(log, "a");
      const started: ChildProcess = spawn(command, args, {
        ...account,
        cwd: folder,
        // Out of reach of the terminal's Ctrl-C, which the check handles.
        detached: true,
        stdio: ["ignore", file, file],
        env: { ...postgresEnvironment(), HOME: folder, LC_ALL: "C.UTF-8" },
      });
      closeSync(file);
      child = started;
      const { pid } = started;
      if (pid) guard.watch(pid);
      started.once("exit", () => {
        if (pid) guard.forget(pid);
        if (child === started) child = null;
      });
    },
    async kill() {
      const dying = child;
      if (!dying) return;
      const gone = once(dying, "exit");
      dying.kill("SIGKILL");
      await gone;
    },
  };
}
