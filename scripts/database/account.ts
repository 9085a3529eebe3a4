import { spawnSync } from "node:child_process";
import { ConfigurationError } from "../../lib/base/env.ts";

/** The account that runs Postgres, which refuses to run as root. Empty: our own. */
export type Account = { uid?: number; gid?: number };

const name = "postgres";

export function postgresAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  const account = lookUp() ?? create();
  if (account) return account;
  throw new ConfigurationError(
    `Postgres does not run as root, and the system account "${name}" could not be made for it: make one, run this as another user, or set DATABASE_URL.`,
  );
}

function create(): Account | undefined {
  spawnSync("useradd", [
    "--system",
    "--user-group",
    "--no-create-home",
    "--shell",
    "/usr/sbin/nologin",
    name,
  ]);
  return lookUp();
}

function lookUp(): Account | undefined {
  const uid = Number(id("-u") || Number.NaN);
  const gid = Number(id("-g") || Number.NaN);
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}

function id(option: string): string {
  const result = spawnSync("id", [option, name], { encoding: "utf8" });
  return result.status === 0 ? result.stdout.trim() : "";
}

/** The environment of Postgres's programs, without our settings and secrets. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: "C", NODE_ENV: "production" };
}

/** Asks the system as that account, since modes, groups and mounts all count. */
export function canReach(account: Account, path: string): boolean {
  if (account.uid === undefined) return true;
  return spawnSync("/bin/sh", ["-c", 'test -x "$1"', "sh", path], { ...account, cwd: "/" }).status === 0;
}
