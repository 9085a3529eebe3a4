import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { expect, type TestContext, test } from "vitest";
import { createOwner, withClient, withLogin } from "../scripts/database/roles.ts";
import { migrate } from "../scripts/migrate.ts";

const FOLDER = join(import.meta.dirname, "migrations");
const WAITING = `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
  WHERE NOT granted AND d.datname = current_database()`;
/** Also for the end of transactions, which is no lock of a database. */
const WAITING_FOR_ANYTHING = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const ACME = "019b76da-a800-7000-8000-000000000001";
const GLOBEX = "019b76da-a800-7000-8000-000000000002";

/** A database of its own, with the migrations before `next`; dropped after the test. */
async function databaseBefore(next: string, { onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const admin = process.env.TEST_DATABASE_ADMIN_URL ?? "";
  const name = `intray_old_${randomBytes(6).toString("hex")}`;
  await createOwner(admin, {
    role: "intray_owner",
    password: "intray-test",
    database: name,
    may: "createrole createdb",
  });
  onTestFinished(async () => {
    await withClient(admin, (client) => client.query(`drop database ${name} with (force)`));
  });
  const url = new URL(admin);
  url.pathname = `/${name}`;
  const ownerUrl = withLogin(url.href, "intray_owner", "intray-test");
  await withClient(ownerUrl, async (client) => {
    for (const migration of readdirSync(FOLDER).sort()) if (migration < next) await apply(client, migration);
  });
  return { adminUrl: url.href, ownerUrl };
}

test("the inbox's migration fills in what lists need for the requests of every organization", async (context) => {
  const { adminUrl, ownerUrl } = await databaseBefore("0004_inbox", context);
  await withClient(ownerUrl, async (client) => {
    for (const [organization, total] of [
      [ACME, 120.5],
      [GLOBEX, 7],
    ] as const)
      await oldRows(client, organization, total);
  });
  await migrate(ownerUrl, () => {});
  const { rows } = await withClient(adminUrl, (client) =>
    client.query(
      "SELECT organization_id, server_id, tool, visibility, search, amount, currency, alike FROM input_request ORDER BY 1",
    ),
  );
  expect(rows.map((row) => [row.organization_id, row.amount])).toEqual([
    [ACME, 120.5],
    [GLOBEX, 7],
  ]);
  expect(rows[0]).toMatchObject({ server_id: ACME, tool: "pay", visibility: "private", currency: null });
  expect(rows[0].search).toContain("pay müller?\npay\ninv-1\n");
  expect(rows[0].alike).toMatch(/^[0-9a-f]{64}$/);
  const { rows: free } = await withClient(adminUrl, (client) =>
    client.query(
      "SELECT relname FROM pg_class WHERE relname IN ('task', 'input_request') AND NOT relforcerowsecurity",
    ),
  );
  expect(free).toEqual([]);
});

test("what lists ask of rules is known of requests of before too that wait, or may wait again, in every organization", async (context) => {
  const { adminUrl, ownerUrl } = await databaseBefore("0004_inbox", context);
  await withClient(ownerUrl, async (client) => {
    for (const organization of [ACME, GLOBEX]) await oldRows(client, organization, 7);
    for (const migration of readdirSync(FOLDER).sort())
      if (migration >= "0004" && migration < "0169") await apply(client, migration);
  });
  const open = { roles: ["approver"], people: [], groups: [], voted: [] };
  const approval = { dueAt: "2026-01-02T03:04:05.000Z", requester: "excluded", open };
  await withClient(adminUrl, async (client) => {
    await client.query("SET session_replication_role = replica");
    // One waits, one has an answer that may be taken back.
    await client.query(
      "UPDATE input_request SET state = CASE organization_id WHEN $2 THEN 'open' ELSE 'answered' END, approval = $1",
      [JSON.stringify(approval), ACME],
    );
    await client.query(
      "UPDATE task SET requested_by = jsonb_build_object('kind', 'member', 'id', organization_id)",
    );
  });
  await migrate(ownerUrl, () => {});
  const { rows } = await withClient(adminUrl, (client) =>
    client.query(
      "SELECT decide_by, ballot, kept_out = organization_id AS keeps_requester_out FROM input_request ORDER BY organization_id",
    ),
  );
  const known = {
    decide_by: new Date("2026-01-02T03:04:05.000Z"),
    ballot: rows[0]?.ballot,
    keeps_requester_out: true,
  };
  expect(rows).toEqual([known, known]);
  expect(known.ballot).toMatch(/^[0-9a-f-]{36}$/);
  const { rows: unforced } = await withClient(adminUrl, (client) =>
    client.query(
      "SELECT relname FROM pg_class WHERE relname IN ('task', 'input_request') AND NOT relforcerowsecurity",
    ),
  );
  expect(unforced).toEqual([]);
});

test("a migration that waits in a circle with a process that writes is begun again", async (context) => {
  const { adminUrl, ownerUrl } = await databaseBefore("0027_lists", context);
  const said: string[] = [];
  await withClient(adminUrl, (keeper) =>
    withClient(adminUrl, async (writer) => {
      const waiting = (count: number) =>
        expect.poll(async () => (await keeper.query(WAITING)).rowCount).toBe(count);
      await keeper.query("BEGIN; LOCK TABLE task IN ROW EXCLUSIVE MODE");
      // Who sees the circle first gives way: not this one.
      await writer.query("SET deadlock_timeout = '10min'");
      await writer.query("BEGIN; LOCK TABLE input_request IN ROW EXCLUSIVE MODE");
      const migrated = migrate(ownerUrl, (line) => said.push(line));
      await waiting(1);
      // Behind the migration, which has the table next, and then wants the other one.
      const written = writer.query("LOCK TABLE task IN ROW EXCLUSIVE MODE");
      await waiting(2);
      await keeper.query("COMMIT");
      await written;
      await writer.query("COMMIT");
      await migrated;
    }),
  );
  expect(said.filter((line) => line.startsWith("0027_lists and a process")).length).toBeGreaterThan(0);
  expect(said.at(-1)).toBe(`Applying migration ${readdirSync(FOLDER).sort().at(-1)}`);
});

test("a migration that waits for a table in use lets those who came after it pass, and is begun again", async (context) => {
  const { ownerUrl } = await databaseBefore("", context);
  const folder = migrationsOf({
    "0001_first": "CREATE TABLE thing (id integer PRIMARY KEY); INSERT INTO thing VALUES (1);",
  });
  await migrate(ownerUrl, () => {}, folder);
  writeMigration(folder, "0002_wider", "ALTER TABLE thing ADD COLUMN name text;");
  const said: string[] = [];
  await withClient(ownerUrl, (reader) =>
    withClient(ownerUrl, async (another) => {
      // As a report, or a backup: it reads for as long as it likes.
      await reader.query("BEGIN; SELECT * FROM thing");
      const migrated = migrate(ownerUrl, (line) => said.push(line), folder);
      await expect.poll(async () => (await another.query(WAITING)).rowCount).toBe(1);
      // Behind the migration; without a bound it would wait for the report.
      await another.query("INSERT INTO thing VALUES (2)");
      await expect
        .poll(() => said)
        .toContain("0002_wider waited too long for a table that is in use: once more");
      await reader.query("COMMIT");
      await migrated;
      expect((await another.query("SELECT id, name FROM thing ORDER BY id")).rows).toEqual([
        { id: 1, name: null },
        { id: 2, name: null },
      ]);
    }),
  );
});

test("an index of a table in use is built while others write to it, also where a try before was interrupted", async (context) => {
  const { ownerUrl } = await databaseBefore("", context);
  const folder = migrationsOf({ "0001_first": "CREATE TABLE thing (id integer PRIMARY KEY, name text);" });
  await migrate(ownerUrl, () => {}, folder);
  const sql = "-- Why.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS thing_name ON thing (name);\n";
  writeMigration(folder, "0002_index", sql);
  await withClient(ownerUrl, (writer) =>
    withClient(ownerUrl, async (another) => {
      await writer.query("BEGIN; INSERT INTO thing VALUES (1, 'a')");
      await withClient(ownerUrl, async (interrupted) => {
        await interrupted.query("SET statement_timeout = 500");
        await expect(interrupted.query(sql)).rejects.toThrow("statement timeout");
      });
      const valid = async () =>
        (await another.query("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('thing_name')"))
          .rows[0];
      expect(await valid()).toEqual({ indisvalid: false });
      const migrated = migrate(ownerUrl, () => {}, folder);
      await expect.poll(async () => (await another.query(WAITING_FOR_ANYTHING)).rowCount).toBe(1);
      // Neither waits for the index, which waits for the first one.
      await another.query("INSERT INTO thing VALUES (2, 'b')");
      await writer.query("COMMIT");
      await migrated;
      expect(await valid()).toEqual({ indisvalid: true });
    }),
  );
});

test("of two who migrate at once one builds an index of a table in use, and the other waits without holding it up", async (context) => {
  const { ownerUrl } = await databaseBefore("", context);
  const folder = migrationsOf({ "0001_first": "CREATE TABLE thing (id integer PRIMARY KEY, name text);" });
  await migrate(ownerUrl, () => {}, folder);
  writeMigration(
    folder,
    "0002_index",
    "CREATE INDEX CONCURRENTLY IF NOT EXISTS thing_name ON thing (name);\n",
  );
  const said: string[] = [];
  await withClient(ownerUrl, (writer) =>
    withClient(ownerUrl, async (another) => {
      const migrating = async () =>
        (
          await another.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%advisory_lock%'
              AND pid <> pg_backend_pid()`,
          )
        ).rowCount;
      await writer.query("BEGIN; INSERT INTO thing VALUES (1, 'a')");
      const first = migrate(ownerUrl, (line) => said.push(line), folder);
      // The index waits for the writer.
      await expect.poll(async () => (await another.query(WAITING_FOR_ANYTHING)).rowCount).toBe(1);
      const second = migrate(ownerUrl, (line) => said.push(line), folder);
      await expect.poll(migrating).toBe(1);
      await writer.query("COMMIT");
      await Promise.all([first, second]);
    }),
  );
  expect(said).toEqual(["Applying migration 0002_index"]);
});

/** Migrations of before there was a rule for it; they are never edited, and docs/upgrade.md says what they hold up. */
const LAST_WITHOUT_RULE = "0030_demo_accounts";

test("no migration builds an index of a table in use in a transaction", () => {
  const found = readdirSync(FOLDER)
    .sort()
    .filter((name) => name > LAST_WITHOUT_RULE)
    .flatMap((name) => {
      const sql = readFileSync(join(FOLDER, name, "migration.sql"), "utf8");
      const made = new Set([...sql.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, table]) => table));
      return [...sql.matchAll(/CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)\w+ ON (\w+)/g)].flatMap(
        ([, table]) => (made.has(table) ? [] : [`${name}: ${table}`]),
      );
    });
  expect(found).toEqual([]);
});

/** A folder of migrations, as prisma/migrations is. */
function migrationsOf(migrations: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "intray-migrations-"));
  for (const [name, sql] of Object.entries(migrations)) writeMigration(folder, name, sql);
  return folder;
}

function writeMigration(folder: string, name: string, sql: string): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "migration.sql"), sql);
}

/** As migrate does it, so that migrate goes on from there. */
async function apply(client: pg.Client, migration: string): Promise<void> {
  const sql = readFileSync(join(FOLDER, migration, "migration.sql"), "utf8");
  await client.query(`CREATE TABLE IF NOT EXISTS _prisma_migrations (id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL,
    finished_at timestamptz, migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`);
  await client.query(sql);
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
     VALUES (gen_random_uuid(), encode(sha256(convert_to($1, 'UTF8')), 'hex'), $2, now())`,
    [sql, migration],
  );
}

async function oldRows(client: pg.Client, id: string, total: number): Promise<void> {
  await client.query("SELECT set_config('app.organization_id', $1, false)", [id]);
  await client.query("INSERT INTO organization (id, slug, name) VALUES ($1, $2, 'X')", [
    id,
    `o${id.slice(-1)}`,
  ]);
  await client.query(
    "INSERT INTO server (organization_id, id, name, url, era_setting, auth_kind) VALUES ($1, $1, 'S', 'https://x.example', 'auto', 'none')",
    [id],
  );
  await client.query("INSERT INTO connection (organization_id, id, server_id) VALUES ($1, $1, $1)", [id]);
  await client.query(
    `INSERT INTO task (organization_id, id, server_id, connection_id, tool, arguments, label, state, watched, visibility, requested_by)
     VALUES ($1, $1, $1, $1, 'pay', $2, 'INV-1', 'input_required', true, 'private', '{}')`,
    [id, JSON.stringify({ invoice: { total, note: "ÜBER" } })],
  );
  await client.query(
    `INSERT INTO input_request (organization_id, id, task_id, connection_id, key, state, mode, message, form, question_hash)
     VALUES ($1, $1, $1, $1, 'k', 'open', 'form', 'Pay Müller?', '{"kind": "supported", "fields": []}', repeat('0', 64))`,
    [id],
  );
}
