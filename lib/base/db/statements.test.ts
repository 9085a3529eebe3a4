/** Kept plans: names, how many a connection keeps, and statements whose plan was lost. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/setup/postgres.ts";
import { uuidv7 } from "../ids.ts";
import { createDatabase, type Database, Prisma, type Tx } from "./db.ts";
import { KEPT_CHARACTERS, KEPT_STATEMENTS, KeptPlans, NamingClient, statementName } from "./statements.ts";

let postgres: TestDatabase;
let admin: pg.Client;
beforeAll(async () => {
  postgres = await createTestDatabase();
  admin = new pg.Client({ connectionString: postgres.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin?.end();
  await postgres?.drop();
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

test("a statement is parsed once a connection, whatever its values, in transactions and outside", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    for (let n = 0; n < 8; n++) await one(database, "SELECT $1::integer AS it", n);
    for (let n = 0; n < 8; n++) await database.gate(Prisma.sql`SELECT ${n}::bigint AS it`);
    const kept = await database.withOrganization(organization, keptBy);
    expect(kept.filter(({ statement }) => /::(integer|bigint) AS it$/.test(statement))).toEqual([
      { statement: "SELECT $1::integer AS it", calls: 8 },
      { statement: "SELECT $1::bigint AS it", calls: 8 },
    ]);
  });
});

test("one of several statements, and one that is no query, are not kept", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    const kept = await database.withOrganization(organization, async (tx) => {
      await tx.$executeRawUnsafe("SELECT 1; SELECT 2").catch(() => undefined);
      return [];
    });
    expect(kept).toEqual([]);
    const left = await database.withOrganization(organization, async (tx) => {
      await tx.$executeRaw`SET LOCAL work_mem = '5MB'`;
      return keptBy(tx);
    });
    // What begins a transaction is such a text too.
    expect(left).toEqual([]);
  });
});

test("without names nothing is kept", async () => {
  await withDatabase({ connections: 1, named: false }, async (database) => {
    await one(database, "SELECT $1::integer AS it", 1);
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

test("a connection keeps so many statements, those that were used last, and closed ones work again", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    const text = (n: number) => `SELECT $1::integer + ${n} AS it`;
    for (let n = 0; n < 2 * KEPT_STATEMENTS; n++) {
      expect(await one(database, text(n), 1)).toEqual([{ it: 1 + n }]);
      // The first of all is used all the time.
      if (n % 50 === 0) await one(database, text(0), 1);
    }
    const count = await database.gate<{ count: number }>(
      Prisma.sql`SELECT count(*)::integer AS count FROM pg_prepared_statements`,
    );
    expect(count).toEqual([{ count: KEPT_STATEMENTS }]);
    const kept = await database.withOrganization(organization, keptBy);
    const texts = new Set(kept.map(({ statement }) => statement));
    expect(texts).toContain(text(0));
    expect(texts).toContain(text(2 * KEPT_STATEMENTS - 1));
    expect(texts).not.toContain(text(1));
    expect(await one(database, text(1), 1)).toEqual([{ it: 2 }]);
  });
});

test("a connection keeps so much text, whose length its memory goes with: long statements push others out", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    const long = " ".repeat(KEPT_CHARACTERS / 4);
    for (let n = 0; n < 12; n++) await one(database, `SELECT $1::integer * ${n} ${long} AS it`, 1);
    const kept = await database.gate<{ count: number; characters: number }>(
      Prisma.sql`SELECT count(*)::integer AS count, sum(length(statement))::integer AS characters
        FROM pg_prepared_statements`,
    );
    expect(kept[0]?.characters).toBeLessThanOrEqual(KEPT_CHARACTERS);
    // Three of the long ones, and this one.
    expect(kept[0]?.count).toBe(4);
  });
});

test("a failed statement, or one closed in a transaction that has failed, disturbs none after it", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    const later = "SELECT made_later AS it FROM later_table WHERE made_later > $1::integer";
    await expect(one(database, later, 0)).rejects.toThrow(/later_table/);
    await admin.query("CREATE TABLE later_table (made_later integer); GRANT SELECT ON later_table TO PUBLIC");
    await admin.query("INSERT INTO later_table VALUES (7)");
    expect(await one(database, later, 0)).toEqual([{ it: 7 }]);

    const divide = "SELECT 1 / $1::integer AS it";
    expect(await one(database, divide, 1)).toEqual([{ it: 1 }]);
    await expect(
      database.withOrganization(organization, async (tx) => {
        await tx.$queryRawUnsafe(divide, 0).catch(() => undefined);
        // Each makes room for itself, and fails with the transaction.
        for (let n = 0; n < 2 * KEPT_STATEMENTS; n++)
          await tx.$queryRawUnsafe(`SELECT $1::integer - ${n} AS it`, 1).catch(() => undefined);
        throw new Error("over");
      }),
    ).rejects.toThrow("over");
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
    await one(database, "SELECT $1::integer AS it", 1);
    await database.gate(Prisma.sql`SELECT ${1}::bigint AS it`);
    await database.gate(Prisma.sql`DEALLOCATE ALL`);
    expect(await database.gate(Prisma.sql`SELECT ${2}::bigint AS it`)).toEqual([{ it: 2n }]);
    expect(await one(database, "SELECT $1::integer AS it", 2)).toEqual([{ it: 2 }]);
    await database.gate(Prisma.sql`DISCARD ALL`);
    expect(await one(database, "SELECT $1::integer AS it", 3)).toEqual([{ it: 3 }]);
    // Not lost for good: it is kept again.
    const kept = await database.withOrganization(organization, keptBy);
    expect(kept.map(({ statement }) => statement)).toContainEqual(
      expect.stringMatching(/^SELECT \$1::integer AS it \/\* [0-9a-f]{8} \*\/$/),
    );
  });
});

test("a pool whose statements get lost time and again goes without names, and no caller notices", async () => {
  await withDatabase({ connections: 1, named: true }, async (database) => {
    for (let n = 0; n < 6; n++) {
      expect(await one(database, "SELECT $1::integer AS it", n)).toEqual([{ it: n }]);
      await database.gate(Prisma.sql`DISCARD ALL`);
    }
    await one(database, "SELECT $1::integer AS it", 1);
    expect(await database.withOrganization(organization, keptBy)).toEqual([]);
  });
});

/** Runs `work` on a connection that sends statements without waiting for the ones before. */
async function pipelined(work: (client: NamingClient, plans: KeptPlans) => Promise<void>): Promise<void> {
  const plans = new KeptPlans(true);
  const config = { connectionString: postgres.appDirectUrl, plans, ...{ pipeline: true } };
  const client = new NamingClient(config);
  await client.connect();
  try {
    await work(client, plans);
  } finally {
    await client.end();
  }
}
const keptAt = async (client: NamingClient) => {
  const { rows } = await client.query("SELECT statement FROM pg_prepared_statements");
  const texts: string[] = rows.map(({ statement }: { statement: string }) => statement);
  return texts.filter((text) => !text.includes("pg_prepared_statements"));
};

test("statements that fail side by side are no loss of a pooler", async () => {
  await pipelined(async (client, plans) => {
    for (let n = 0; n < 4; n++) {
      const text = `SELECT nothing_${n} FROM not_there WHERE it > $1::integer`;
      await client.query("BEGIN");
      const all = await Promise.allSettled([1, 2, 3].map((it) => client.query(text, [it])));
      expect(all.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
      await client.query("ROLLBACK");
    }
    expect([plans.named, plans.mark]).toEqual([true, ""]);
  });
});

test("however many statements are sent side by side, those beyond the bound are closed in the end", async () => {
  await pipelined(async (client) => {
    const many = Array.from({ length: 2 * KEPT_STATEMENTS }, (_, n) => n);
    const all = await Promise.all(many.map((n) => client.query(`SELECT $1::integer + ${n} AS it`, [1])));
    expect(all.map(({ rows }) => rows[0].it)).toEqual(many.map((n) => n + 1));
    await client.query("SELECT $1::bigint AS it", [1]);
    expect((await keptAt(client)).length).toBeLessThanOrEqual(KEPT_STATEMENTS);
    // Those that were closed work again.
    const again = await Promise.all(many.map((n) => client.query(`SELECT $1::integer + ${n} AS it`, [2])));
    expect(again.map(({ rows }) => rows[0].it)).toEqual(many.map((n) => n + 2));
  });
});

test("a statement whose values can't be written is no loss of a pooler when it is sent again", async () => {
  await pipelined(async (client, plans) => {
    const unwritable = {
      toPostgres() {
        throw new Error("no such value");
      },
    };
    for (let n = 0; n < 4; n++) {
      const text = `SELECT $1::integer * ${n} AS it`;
      if (n % 2 === 0) await client.query(text, [1]);
      await expect(client.query(text, [unwritable])).rejects.toThrow("no such value");
      expect((await client.query(text, [2])).rows).toEqual([{ it: 2 * n }]);
    }
    expect([plans.named, plans.mark]).toEqual([true, ""]);
  });
});

test("names are closed only in front of a statement that is prepared too, not of a plain text", async () => {
  await pipelined(async (client, plans) => {
    await client.query("SELECT $1::integer AS it", [1]);
    await client.query("SELECT $1::bigint AS it", [1]);
    const { connection } = client as unknown as { connection: { close(statement: object): void } };
    const { close } = connection;
    let closed = 0;
    connection.close = (statement) => {
      closed++;
      close.call(connection, statement);
    };
    plans.lose("", "changed");
    await client.query("BEGIN; SELECT 1");
    await client.query("COMMIT");
    expect(closed).toBe(0);
    await client.query("SELECT $1::text AS it", ["there"]);
    expect(closed).toBe(2);
    expect(await keptAt(client)).toEqual([expect.stringMatching(/^SELECT \$1::text/)]);
  });
});
