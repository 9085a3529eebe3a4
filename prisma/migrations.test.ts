import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { createOwner, withClient, withLogin } from "../scripts/database/roles.ts";
import { migrate } from "../scripts/migrate.ts";

const FOLDER = join(import.meta.dirname, "migrations");
const WAITING = `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
  WHERE NOT granted AND d.datname = current_database()`;
/** Also for the end of transactions, which is no lock of a database. */
const WAITING_FOR_ANYTHING = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** An empty database of its own, dropped after the test. */
async function emptyDatabase({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
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
  return { adminUrl: url.href, ownerUrl: withLogin(url.href, "intray_owner", "intray-test") };
}

/** The names of so many migrations of before they were joined; those in between do not matter. */
const ofBefore = (count: number) => [
  "0001_foundation",
  ...Array.from({ length: count - 2 }, (_, n) => `0${100 + (n % 79)}_between_${n}`),
  "0179_names_beside",
];

/** Has the database look as one that was migrated before the migrations were joined. */
async function noteMigrations(ownerUrl: string, names: string[]): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    await client.query("DELETE FROM _prisma_migrations");
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
       SELECT gen_random_uuid(), 'of before', name, now() FROM unnest($1::text[]) AS name`,
      [names],
    );
  });
}

const namesIn = async (url: string) =>
  (
    await withClient(url, (client) => client.query("SELECT migration_name AS name FROM _prisma_migrations"))
  ).rows
    .map(({ name }) => name as string)
    .sort();

test("a database of the migrations before they were joined is taken over as it is", async (context) => {
  const { adminUrl, ownerUrl } = await emptyDatabase(context);
  const [schema = "", functions = "", ...later] = readdirSync(FOLDER).sort();
  const sqlOf = (name: string) => readFileSync(join(FOLDER, name, "migration.sql"), "utf8");
  const joined = { [schema]: sqlOf(schema), [functions]: sqlOf(functions) };
  await migrate(ownerUrl, () => {}, migrationsOf(joined));
  await withClient(adminUrl, (client) =>
    client.query("INSERT INTO organization (id, slug, name) VALUES (gen_random_uuid(), 'acme', 'Acme')"),
  );
  await noteMigrations(ownerUrl, ofBefore(141));
  const said: string[] = [];
  await migrate(ownerUrl, (line) => said.push(line));
  // Again changes nothing more.
  await migrate(ownerUrl, (line) => said.push(line));
  // Those that came since are applied, as to any database.
  expect(said).toEqual(later.map((name) => `Applying migration ${name}`));
  // Web processes of before are ready only while they find theirs.
  expect(await namesIn(ownerUrl)).toEqual([...ofBefore(141), ...readdirSync(FOLDER)].sort());
  const { rows } = await withClient(adminUrl, (client) => client.query("SELECT name FROM organization"));
  expect(rows).toEqual([{ name: "Acme" }]);
});

test.each([
  ["lacks the last of them", "database_older", ofBefore(141).slice(0, -1)],
  ["lacks one in between", "database_older", ofBefore(140)],
  ["has one more", "database_newer", [...ofBefore(141), "0180_more"]],
])("a database that %s is refused", async (_, code, names) => {
  const { ownerUrl } = await emptyDatabase({ onTestFinished });
  await migrate(ownerUrl, () => {});
  await noteMigrations(ownerUrl, names);
  await expect(migrate(ownerUrl, () => {})).rejects.toMatchObject({ code });
  await expect(migrate(ownerUrl, () => {})).rejects.toMatchObject({ code });
});

test("a migration that waits in a circle with a process that writes is begun again", async (context) => {
  const { adminUrl, ownerUrl } = await emptyDatabase(context);
  const folder = migrationsOf({
    "0001_first": "CREATE TABLE one (id integer); CREATE TABLE other (id integer);",
  });
  await migrate(ownerUrl, () => {}, folder);
  writeMigration(folder, "0002_wider", "ALTER TABLE one ADD name text; ALTER TABLE other ADD name text;");
  const said: string[] = [];
  await withClient(adminUrl, (keeper) =>
    withClient(adminUrl, async (writer) => {
      const waiting = (count: number) =>
        expect.poll(async () => (await keeper.query(WAITING)).rowCount).toBe(count);
      await keeper.query("BEGIN; LOCK TABLE one IN ROW EXCLUSIVE MODE");
      // Who sees the circle first gives way: not this one.
      await writer.query("SET deadlock_timeout = '10min'");
      await writer.query("BEGIN; LOCK TABLE other IN ROW EXCLUSIVE MODE");
      const migrated = migrate(ownerUrl, (line) => said.push(line), folder);
      await waiting(1);
      // Behind the migration, which has the table next, and then wants the other one.
      const written = writer.query("LOCK TABLE one IN ROW EXCLUSIVE MODE");
      await waiting(2);
      await keeper.query("COMMIT");
      await written;
      await writer.query("COMMIT");
      await migrated;
    }),
  );
  expect(said.filter((line) => line.startsWith("0002_wider and a process")).length).toBeGreaterThan(0);
  expect(said[0]).toBe("Applying migration 0002_wider");
});

test("a migration that waits for a table in use lets those who came after it pass, and is begun again", async (context) => {
  const { ownerUrl } = await emptyDatabase(context);
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
  const { ownerUrl } = await emptyDatabase(context);
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
  const { ownerUrl } = await emptyDatabase(context);
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

test("no migration builds an index of a table in use in a transaction", () => {
  const found = readdirSync(FOLDER)
    .sort()
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
