import { afterAll, expect, test } from "vitest";
import { withClient } from "../../scripts/database/roles.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

const made: TestDatabase[] = [];
afterAll(async () => {
  for (const database of made) await database.drop();
});

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  made.push(database);
  return database;
}

test("each test file gets a migrated database of its own", async () => {
  const [one, other] = await Promise.all([newDatabase(), newDatabase()]);
  expect(one.ownerUrl).not.toBe(other.ownerUrl);
  const migrations = await withClient(one.ownerUrl, (client) =>
    client.query("select from _prisma_migrations"),
  );
  expect(migrations.rowCount).toBeGreaterThan(0);
});

test("the roles that run the app are neither owner nor above row security", async () => {
  const database = await newDatabase();
  for (const url of [database.appUrl, database.engineUrl, database.ownerUrl]) {
    const { rows } = await withClient(url, (client) =>
      client.query("select rolsuper or rolbypassrls as above from pg_roles where rolname = current_user"),
    );
    expect(rows).toEqual([{ above: false }]);
  }
});
