/** What a transaction sends around its work, and that what fails there fails as before. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/setup/postgres.ts";
import { inScope } from "../scope.ts";
import { createDatabase, type Database, Prisma } from "./db.ts";
import { LAST } from "./round-trips.ts";

const ORGANIZATION = "0196a1b2-0000-7000-8000-000000000001";
const last = Prisma.raw(LAST);

let postgres: TestDatabase;
let database: Database;

beforeAll(async () => {
  postgres = await createTestDatabase();
  await withClient(postgres.adminUrl, async (client) => {
    await client.query(`CREATE TABLE noted (id integer PRIMARY KEY, of integer
        REFERENCES noted DEFERRABLE INITIALLY DEFERRED);
      GRANT ALL ON noted TO intray_app`);
  });
  database = createDatabase(postgres.appUrl, { connections: 1 });
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});

const noted = () =>
  database
    .gate<{ id: number }>(Prisma.sql`SELECT id FROM noted ORDER BY id`)
    .then((rows) => rows.map(({ id }) => id));

/** Counts what a transaction sends. */
async function sent(work: Parameters<Database["withOrganization"]>[1]): Promise<number> {
  const spent = { queries: 0, ms: 0 };
  await inScope({ requestId: null, trace: null, spent }, () => database.withOrganization(ORGANIZATION, work));
  return spent.queries;
}

test("a transaction of one statement takes three, and sets its organization for itself alone", async () => {
  const count = await sent(async (tx) => {
    const [row] = await tx.$queryRaw<{ id: string }[]>`SELECT current_setting('app.organization_id') AS id`;
    expect(row?.id).toBe(ORGANIZATION);
  });
  expect(count).toBe(3);
  const [row] = await database.gate<{ id: string | null }>(
    Prisma.sql`SELECT nullif(current_setting('app.organization_id', true), '') AS id`,
  );
  expect(row?.id).toBeNull();
});

test("a last statement is committed with what came before it", async () => {
  await database.withOrganization(ORGANIZATION, async (tx) => {
    await tx.$executeRaw`INSERT INTO noted VALUES (1)`;
    await tx.$executeRaw`${last}INSERT INTO noted VALUES (2)`;
  });
  expect(await noted()).toEqual([1, 2]);
});

test("a last statement that fails undoes the transaction, and the connection goes on", async () => {
  const failed = database.withOrganization(ORGANIZATION, async (tx) => {
    await tx.$executeRaw`INSERT INTO noted VALUES (3)`;
    await tx.$executeRaw`${last}INSERT INTO noted VALUES (1)`;
  });
  await expect(failed).rejects.toMatchObject({ code: "P2010" });
  expect(await noted()).toEqual([1, 2]);
});

test("a constraint that fails at the COMMIT behind a last statement fails the call, and nothing is written", async () => {
  const failed = database.withOrganization(ORGANIZATION, async (tx) => {
    await tx.$executeRaw`${last}INSERT INTO noted VALUES (4, 99)`;
  });
  await expect(failed).rejects.toThrow();
  expect(await noted()).toEqual([1, 2]);
});

test("a statement after the last one is refused, not committed by itself", async () => {
  const failed = database.withOrganization(ORGANIZATION, async (tx) => {
    await tx.$executeRaw`${last}SELECT 1`;
    await tx.$executeRaw`INSERT INTO noted VALUES (6)`;
  });
  await expect(failed).rejects.toThrow("after the last one");
  expect(await noted()).toEqual([1, 2]);
  await database.withOrganization(ORGANIZATION, (tx) => tx.$executeRaw`INSERT INTO noted VALUES (7)`);
  expect(await noted()).toEqual([1, 2, 7]);
  await database.gate(Prisma.sql`DELETE FROM noted WHERE id = 7 RETURNING id`);
});

test("work that fails sends a ROLLBACK, and work without a statement nothing", async () => {
  const failed = database.withOrganization(ORGANIZATION, async (tx) => {
    await tx.$executeRaw`INSERT INTO noted VALUES (5)`;
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect(await noted()).toEqual([1, 2]);
  expect(await sent(async () => undefined)).toBe(2);
});
