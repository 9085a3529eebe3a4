import { spawnSync } from "node:child_process";
import { ConfigurationError } from "../../lib/base/env.ts";

/** Whose process Postgres is: it refuses to run as root, so root lends it a system account. Empty: our own. */
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

/** What Postgres's programs get of our environment: nothing that is a setting or a secret. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: "C", NODE_ENV: "production" };
}

/** Asked of the system itself, as that account: modes, groups and mounts all have their say. */
export function canReach(account: Account, path: string): boolean {
  if (account.uid === undefined) return true;
  return spawnSync("/bin/sh", ["-c", 'test -x "$1"', "sh", path], { ...account, cwd: "/" }).status === 0;
}
