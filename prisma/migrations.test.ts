import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { expect, type TestContext, test } from "vitest";
import { createOwner, withClient, withLogin } from "../scripts/database/roles.ts";
import { migrate } from "../scripts/migrate.ts";

const FOLDER = join(import.meta.dirname, "migrations");
const WAITING = `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
  WHERE NOT granted AND d.datname = current_database()`;
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
  expect(said.filter((line) => line.startsWith("0027_lists and a process"))).toHaveLength(1);
  expect(said.at(-1)).toBe(`Applying migration ${readdirSync(FOLDER).sort().at(-1)}`);
});

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
