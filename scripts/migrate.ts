/**
 * Applies prisma/migrations to a database, as its owner. Keeps Prisma's own `_prisma_migrations` table, so
 * that `prisma migrate deploy` stays possible. One process at a time (advisory lock), and an applied
 * migration must not have changed since (checksum). Each is one transaction that waits only seconds for a
 * lock, since all others queue behind it meanwhile. An index of a table in use is a migration of its own, the
 * one statement `CREATE INDEX CONCURRENTLY IF NOT EXISTS`, which blocks nobody.
 */
import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { LEASE_QUEUE, leaseQueueOptions } from "../lib/engine/leases/lease-queue.ts";

const FOLDER = path.join(import.meta.dirname, "../prisma/migrations");
const LOCK = 7_246_813_557;
/** How long a migration's statement waits for a lock, and so the longest that others queue behind it. */
const LOCK_TIMEOUT_MS = 4_000;
/** How often a process checks whether another one is still migrating. */
const TURN_MS = 250;
/** The pause before a migration without its locks is retried; grows by this each time, up to the cap. */
const PAUSE_MS = 500;
const PAUSE_CAP_MS = 10_000;
/** Tries per migration, over about ten minutes. */
const TRIES = 60;

/**
 * Before 29 November 2026 the schema was 141 migrations, of which this was the last. A database that has it has the tables,
 * functions and policies of JOINED.
 */
const LAST_OF_BEFORE = "0179_names_beside";
const OF_BEFORE = 141;
const JOINED = ["0001_schema", "0002_functions_and_policies"];
/** In `logs` of a migration that JOINED stands for. Its row stays: processes of before are ready only while they find it. */
const IS_JOINED = "joined";

/** A failure that one sentence explains; `code` is stable. */
export class MigrationError extends Error {
  readonly code: "database_newer" | "database_older" | "migration_changed" | "migration_failed";
  constructor(code: MigrationError["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

/** Migrates the database to this version. Safe to call at every start and from several processes at once. */
export async function migrate(
  ownerUrl: string,
  log: (line: string) => void,
  folder: string = FOLDER,
): Promise<void> {
  const migrations = await readMigrations(folder);
  const client = new pg.Client({ connectionString: ownerUrl });
  client.on("error", () => undefined); // a lost connection fails the statement that needs it
  await client.connect();
  try {
    await waitForTurn(client);
    await client.query(PRISMA_TABLE);
    await takeOver(client, migrations);
    const applied = await appliedMigrations(client);
    refuseSurprises(migrations, applied);
    if (applied.size === 0) log(`Making the tables (${migrations.length} migrations) …`);
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue;
      if (applied.size > 0) log(`Applying migration ${migration.name}`);
      await applyAtLast(client, migration, log);
    }
    await installQueue(client, ownerUrl);
  } finally {
    await client.end();
  }
}

/**
 * Polls for the advisory lock. Waiting inside a statement would hold a snapshot, and a concurrent index build
 * by the lock's holder waits for all snapshots to end: a deadlock.
 */
async function waitForTurn(client: pg.Client): Promise<void> {
  const isOurs = async () =>
    (await client.query<{ locked: boolean }>("SELECT pg_try_advisory_lock($1) AS locked", [LOCK])).rows[0]
      ?.locked;
  while (!(await isOurs())) await sleep(TURN_MS);
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const read = names
    .map((entry) => entry.name)
    .sort()
    .map(async (name) => {
      const sql = await readFile(path.join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    });
  return Promise.all(read);
}

async function appliedMigrations(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    "SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL AND logs IS DISTINCT FROM $1",
    [IS_JOINED],
  );
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

/** Notes the joined migrations beside those of before, in a database that has all of these. */
async function takeOver(client: pg.Client, migrations: Migration[]): Promise<void> {
  const applied = await appliedMigrations(client);
  if (!applied.has("0001_foundation")) return;
  const isWhole = applied.has(LAST_OF_BEFORE) && applied.size >= OF_BEFORE;
  if (!isWhole)
    throw new MigrationError(
      "database_older",
      `The database lacks migrations up to ${LAST_OF_BEFORE}: start the last version that has them on it once (docs/upgrade.md).`,
    );
  await client.query("BEGIN");
  // What is beyond the last one is known to nobody, and refused as such.
  await client.query(
    `UPDATE _prisma_migrations SET logs = $1 WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
       AND left(migration_name, 4) <= left($2, 4)`,
    [IS_JOINED, LAST_OF_BEFORE],
  );
  for (const migration of migrations) if (JOINED.includes(migration.name)) await record(client, migration);
  await client.query("COMMIT");
}

function refuseSurprises(migrations: Migration[], applied: Map<string, string>): void {
  for (const [name, checksum] of applied) {
    const known = migrations.find((migration) => migration.name === name);
    if (!known)
      throw new MigrationError(
        "database_newer",
        `The database has the migration ${name}, which this version does not know: run the newer version of Intray that made it.`,
      );
    if (known.checksum !== checksum)
      throw new MigrationError(
        "migration_changed",
        `The migration ${name} was changed after it was applied: restore its file as it was.`,
      );
  }
}

/**
 * Applies a migration. One that does not get a lock in time, or deadlocks with other processes, is rolled
 * back and tried again.
 */
async function applyAtLast(
  client: pg.Client,
  migration: Migration,
  log: (line: string) => void,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await (CONCURRENT_INDEX.test(migration.sql)
        ? applyConcurrently(client, migration)
        : apply(client, migration));
    } catch (error) {
      const wait = waitOf(error);
      if (tries === TRIES || wait === undefined) throw error;
      log(`${migration.name} ${wait}: once more`);
      await sleep(Math.min(PAUSE_CAP_MS, PAUSE_MS * tries));
    }
  }
}

/** Returns why a migration gave way to a process that uses the tables, or undefined for any other failure. */
function waitOf(error: unknown): string | undefined {
  const code = error instanceof MigrationError && (error.cause as { code?: unknown } | undefined)?.code;
  if (code === "40P01") return "and a process that writes waited for each other";
  if (code === "55P03") return "waited too long for a table that is in use";
  return undefined;
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query("BEGIN");
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(migration.sql);
    await record(client, migration);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw failed(migration, error);
  }
}

const CONCURRENT_INDEX = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY\b/m;
const NAMED_INDEX = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (\w+) ON /m;

/** Applies a migration outside a transaction. Drops the invalid index of an interrupted try first. */
async function applyConcurrently(client: pg.Client, migration: Migration): Promise<void> {
  const index = NAMED_INDEX.exec(migration.sql)?.[1];
  try {
    if (!index) throw new Error("it has to be CREATE INDEX CONCURRENTLY IF NOT EXISTS name ON …");
    const { rowCount } = await client.query(
      "SELECT FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1)) AND NOT indisvalid",
      [index],
    );
    if (rowCount) await client.query(`DROP INDEX CONCURRENTLY ${client.escapeIdentifier(index)}`);
    await client.query(migration.sql);
    await record(client, migration);
  } catch (error) {
    throw failed(migration, error);
  }
}

async function record(client: pg.Client, { checksum, name }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), now(), 1)`,
    [randomUUID(), checksum, name],
  );
}

function failed({ name }: Migration, error: unknown): MigrationError {
  const why = error instanceof Error ? error.message : String(error);
  return new MigrationError("migration_failed", `The migration ${name} failed: ${why}`, error);
}

/** Lets pg-boss install and upgrade its own schema, which only the engine's role may use. */
async function installQueue(client: pg.Client, ownerUrl: string): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, max: 2, supervise: false, schedule: false });
  boss.on("error", () => undefined); // start() rejects with the same error
  try {
    await boss.start();
    await boss.createQueue(LEASE_QUEUE, leaseQueueOptions);
    await boss.updateQueue(LEASE_QUEUE, leaseQueueUpdate());
  } finally {
    await boss.stop({ graceful: false });
  }
  await client.query(`
    GRANT USAGE ON SCHEMA pgboss TO intray_engine;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pgboss TO intray_engine;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA pgboss TO intray_engine;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pgboss TO intray_engine;`);
}

function leaseQueueUpdate() {
  const { policy: _unchangeable, ...rest } = leaseQueueOptions;
  return rest;
}

const PRISMA_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id varchar(36) PRIMARY KEY NOT NULL,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;

if (import.meta.main) {
  const url = process.env.DATABASE_URL;
  if (!url) {
    console.error("Set DATABASE_URL to the database's owner.");
    process.exit(1);
  }
  await migrate(url, (line) => console.error(line)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  });
}
