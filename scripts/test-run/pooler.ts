/** A PgBouncer in transaction mode before the tests' Postgres, for the part of the tests that runs behind one. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { postgresAccount, postgresEnvironment } from "../database/account.ts";
import { installDebian } from "../debian.ts";
import { freePort } from "../ports.ts";

/** Debian's place; `TEST_PGBOUNCER` names another program. */
const PGBOUNCER = "/usr/sbin/pgbouncer";

export interface Pooler {
  /** `host:port`; the host is a folder with its socket, encoded for a URL. */
  address: string;
  version: string;
  /** Whether it keeps prepared statements across transactions: from 1.21 on. */
  keepsStatements: boolean;
  stop(): Promise<void>;
}

/** Returns the program, installed first where that starts no service, or undefined after telling how to get it. */
export function findOrInstallPgbouncer(say: (line: string) => void): string | undefined {
  const program = process.env.TEST_PGBOUNCER ?? PGBOUNCER;
  if (existsSync(program)) return program;
  if (program === PGBOUNCER) installDebian({ name: "PgBouncer", apt: "pgbouncer", isService: true }, say);
  if (existsSync(program)) return program;
  say(
    `Not run, and nothing of it counts as passed: there is no ${program}. On Debian: apt-get install pgbouncer.`,
  );
  return undefined;
}

/** Starts it before the Postgres of `adminUrl`. `logins`: the roles of the tests, and their password. */
export async function startPooler(
  program: string,
  adminUrl: string,
  logins: { roles: string[]; password: string },
): Promise<Pooler> {
  const version = /PgBouncer (\d+)\.(\d+)/.exec(
    spawnSync(program, ["--version"], { encoding: "utf8" }).stdout,
  );
  if (!version) throw new Error(`${program} does not say its version.`);
  const [major = 0, minor = 0] = version.slice(1).map(Number);
  const keepsStatements = major > 1 || minor >= 21;
  const folder = mkdtempSync(join(tmpdir(), "intray-pooler-"));
  // It refuses to run as root, so it may run as another account.
  chmodSync(folder, 0o1777);
  const { hostname, port: postgresPort } = new URL(adminUrl);
  const port = await freePort();
  const users = logins.roles.map((role) => `"${role}" "${logins.password}"\n`).join("");
  writeFileSync(join(folder, "users.txt"), users);
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    `[databases]
* = host=${decodeURIComponent(hostname)} port=${postgresPort}
[pgbouncer]
pool_mode = transaction
listen_port = ${port}
unix_socket_dir = ${folder}
auth_type = scram-sha-256
auth_file = ${join(folder, "users.txt")}
max_client_conn = 2000
default_pool_size = 10
server_idle_timeout = 10
${keepsStatements ? "max_prepared_statements = 200" : ""}
`,
  );
  const child = spawn(program, [join(folder, "pgbouncer.ini")], {
    ...postgresAccount(),
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: postgresEnvironment(),
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      said = `${said}${data}`.slice(-4_000);
    });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !existsSync(join(folder, `.s.PGSQL.${port}`)); tries++) {
    if (child.exitCode === null && tries < 200) await sleep(50);
    else {
      await stop();
      throw new Error(`PgBouncer does not start: ${said}`);
    }
  }
  return {
    address: `${encodeURIComponent(folder)}:${port}`,
    version: `${major}.${minor}`,
    keepsStatements,
    stop,
  };
}
