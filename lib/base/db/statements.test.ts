/** Names of statements: which get one, how many, and statements whose plan was lost. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseForFile } from "../../../test/for-file.ts";
import { uuidv7 } from "../ids.ts";
import { createDatabase, type Database, Prisma, type Tx } from "./db.ts";
import { NAMED_CHARACTERS, NAMED_STATEMENTS, statementName, USES_BEFORE_NAMED } from "./statements.ts";

const postgres = databaseForFile();
let admin: pg.Client;
beforeAll(async () => {
  admin = new pg.Client({ connectionString: postgres.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin?.end();
});

interface Kept {
  statement: string;
  calls: number;
}

/** The statements that the connection of `tx` keeps. */
function keptBy(tx: Tx): Promise<Kept[]> {
  return tx.$queryRaw<Kept[]>`SELECT statement, (generic_plans + custom_plans)::integer AS calls
    FROM pg_prepared_statements WHERE statement NOT LIKE '%pg_prepared_statements%' ORDER BY prepare_time`;
}

async function withDatabase<T>(
  options: Parameters<typeof createDatabase>[1],
  work: (database: Database) => Promise<T>,
): Promise<T> {
  // Past a pooler, which has statements of its own.
  const database = createDatabase(postgres.appDirectUrl, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const organization = uuidv7();
const one = (database: Database, sql: string, ...values: unknown[]) =>
  database.withOrganization(organization, (tx) => tx.$queryRawUnsafe<{ it: unknown }[]>(sql, ...values));
/** Uses a statement often enough for a name. */
const often = async (database: Database, sql: string) => {
  for (let n = 0; n < USES_BEFORE_NAMED; n++) await one(database, sql, 1);
};

test("a statement that is used often is parsed once a connection, whatever its values, in transactions and outside", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    const uses = USES_BEFORE_NAMED + 7;
    for (let n = 0; n < uses; n++) await one(database, "SELECT $1::integer AS it", n);
    for (let n = 0; n < uses; n++) await database.gate(Prisma.sql`SELECT ${n}::bigint AS it`);
    const kept = await database.withOrganization(organization, keptBy);
    expect(kept.filter(({ statement }) => /::(integer|bigint) AS it$/.test(statement))).toEqual([
      { statement: "SELECT $1::integer AS it", calls: 8 },
      { statement: "SELECT $1::bigint AS it", calls: 8 },
    ]);
  });
});

test("a rare statement, one of several statements, and one that is no query have no name", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    const kept = await database.withOrganization(organization, async (tx) => {
      await tx.$queryRawUnsafe("SELECT $1::integer AS rare", 1);
      for (let n = 0; n < USES_BEFORE_NAMED; n++) {
        await tx.$executeRawUnsafe("SELECT 1; SELECT 2");
        await tx.$executeRaw`SET LOCAL work_mem = '5MB'`;
      }
      return keptBy(tx);
    });
    expect(kept).toEqual([]);
  });
});

test("without names nothing is kept", async () => {
  await withDatabase({ connections: 1, named: false }, async (database) => {
    await often(database, "SELECT $1::integer AS it");
    expect(await database.withOrganization(organization, keptBy)).toEqual([]);
  });
});

test("no two statements share a name, which Postgres takes whole, and every process gives the same one", () => {
  const long = "SELECT ".padEnd(5_000, "1 + ");
  const all = [`${long}1`, `${long}2`, "SELECT 1", "SELECT 1 "];
  expect(new Set(all.map(statementName)).size).toBe(all.length);
  for (const text of all) expect(Buffer.byteLength(statementName(text))).toBeLessThan(64);
  expect(statementName("SELECT 1")).toBe("intray_4ATr1bVTKkuFmEpi-K1IqBqjRgwcoHcB84YTXXLN7PU");
});

test("so many statements get a name, and so many characters; those beyond have none and work", async () => {
  const count = Prisma.sql`SELECT count(*)::integer AS count, coalesce(sum(length(statement)), 0)::integer AS characters
    FROM pg_prepared_statements`;
  await withDatabase({ connections: 1, named: true }, async (database) => {
    for (let n = 0; n < NAMED_STATEMENTS + 20; n++) await often(database, `SELECT $1::integer + ${n} AS it`);
    const [kept] = await database.gate<{ count: number }>(count);
    expect(kept?.count).toBe(NAMED_STATEMENTS);
    expect(await one(database, `SELECT $1::integer + ${NAMED_STATEMENTS + 19} AS it`, 1)).toEqual([
      { it: NAMED_STATEMENTS + 20 },
    ]);
  });
  await withDatabase({ connections: 1, named: true }, async (database) => {
    const long = " ".repeat(NAMED_CHARACTERS / 4);
    for (let n = 0; n < 12; n++) await often(database, `SELECT $1::integer * ${n} ${long} AS it`);
    const [kept] = await database.gate<{ count: number; characters: number }>(count);
    expect(kept?.characters).toBeGreaterThan(NAMED_CHARACTERS / 2);
    expect(kept?.characters).toBeLessThanOrEqual(NAMED_CHARACTERS);
  });
});

test("a statement that fails to be planned, or fails, disturbs none after it", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    const later = "SELECT made_later AS it FROM later_table WHERE made_later > $1::integer";
    for (let n = 0; n <= USES_BEFORE_NAMED; n++)
      await expect(one(database, later, 0)).rejects.toThrow(/later_table/);
    await admin.query("CREATE TABLE later_table (made_later integer); GRANT SELECT ON later_table TO PUBLIC");
    await admin.query("INSERT INTO later_table VALUES (7)");
    expect(await one(database, later, 0)).toEqual([{ it: 7 }]);

    const divide = "SELECT 1 / $1::integer AS it";
    await often(database, divide);
    await expect(one(database, divide, 0)).rejects.toThrow("division by zero");
    expect(await one(database, divide, 1)).toEqual([{ it: 1 }]);
    expect(await one(database, later, 0)).toEqual([{ it: 7 }]);
  });
});

test("a migration that changes what a statement returns disturbs no process that runs: each transaction is retried once", async () => {
  await admin.query("CREATE TABLE changing (it integer); GRANT SELECT ON changing TO PUBLIC");
  await admin.query("INSERT INTO changing VALUES (1)");
  await withDatabase({ connections: 4, named: true }, async (database) => {
    const tries: number[] = [];
    const read = (n: number) =>
      database.withOrganization(organization, async (tx) => {
        tries[n] = (tries[n] ?? 0) + 1;
        return tx.$queryRaw<unknown[]>`SELECT * FROM changing WHERE it > ${0}::integer`;
      });
    const all = () => Promise.all(Array.from({ length: 12 }, (_, n) => read(n)));
    const outside = () => database.gate(Prisma.sql`SELECT * FROM changing WHERE it >= ${1}::integer`);
    for (let n = 0; n < 7; n++) await Promise.all([all(), outside(), outside(), outside(), outside()]);
    for (const [change, row] of [
      ["ADD COLUMN more text DEFAULT 'new'", { it: 1, more: "new" }],
      ["ALTER COLUMN it TYPE bigint", { it: 1n, more: "new" }],
      ["DROP COLUMN more", { it: 1n }],
    ] as const) {
      await admin.query(`ALTER TABLE changing ${change}`);
      tries.length = 0;
      expect(await all()).toEqual(Array.from({ length: 12 }, () => [row]));
      expect(Math.max(...tries)).toBeLessThanOrEqual(2);
      expect(await Promise.all([outside(), outside(), outside(), outside()])).toEqual(
        Array.from({ length: 4 }, () => [row]),
      );
      for (let n = 0; n < 7; n++) await Promise.all([all(), outside()]);
    }
  });
});

test("connections whose statements a pooler has discarded go on, outside transactions and inside", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    const outside = (n: number) => database.gate(Prisma.sql`SELECT ${n}::bigint AS it`);
    await often(database, "SELECT $1::integer AS it");
    for (let n = 0; n < USES_BEFORE_NAMED; n++) await outside(n);
    await admin.query("SELECT 1");
    await database.gate(Prisma.sql`DEALLOCATE ALL`);
    expect(await outside(2)).toEqual([{ it: 2n }]);
    expect(await one(database, "SELECT $1::integer AS it", 2)).toEqual([{ it: 2 }]);
    await database.gate(Prisma.sql`DISCARD ALL`);
    expect(await one(database, "SELECT $1::integer AS it", 3)).toEqual([{ it: 3 }]);
    // Not lost for good: it has another name.
    const kept = await database.withOrganization(organization, keptBy);
    expect(kept.map(({ statement }) => statement)).toContainEqual(
      expect.stringMatching(/^SELECT \$1::integer AS it \/\* [0-9a-f]{8} \*\/$/),
    );
  });
});

test("a pool whose statements get lost time and again goes without names, and no caller notices", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    await often(database, "SELECT $1::integer AS it");
    for (let n = 0; n < 6; n++) {
      expect(await one(database, "SELECT $1::integer AS it", n)).toEqual([{ it: n }]);
      await database.gate(Prisma.sql`DISCARD ALL`);
    }
    await one(database, "SELECT $1::integer AS it", 1);
    expect(await database.withOrganization(organization, keptBy)).toEqual([]);
  });
});
