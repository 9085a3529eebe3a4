/** Prisma's models inside our transactions: the values of the official adapter, one client a transaction, and errors that keep their codes. */
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseForFile } from "../../../test/for-file.ts";
import { PrismaClient } from "../../generated/prisma/client.ts";
import { uuidv7 } from "../ids.ts";
import { isDatabaseDown, isUniqueViolation, sqlState } from "./database-errors.ts";
import { createDatabase, type Database, type Tx } from "./db.ts";
import { LentAdapter } from "./models.ts";
import { toQuery } from "./raw.ts";

const postgres = databaseForFile();
let database: Database;
let pool: pg.Pool;
beforeAll(async () => {
  database = createDatabase(postgres.ownerUrl, { connections: 2 });
  pool = new pg.Pool({ connectionString: postgres.ownerUrl, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

const organizationOf = (id: string) => ({ id, slug: `models-${id.slice(-8)}`, name: "Models" });

test("each type of the schema's columns is read as the official adapter reads it", async () => {
  const official = await new PrismaPg(pool).connect();
  const own = new LentAdapter();
  own.send = (statement) => pool.query(statement);
  const columns = [
    ...["true", "1::smallint", "-2::integer", "9007199254740993::bigint", "1.5::float8", "1.50::numeric"],
    ...["'a'::text", "'b'::varchar", "'0198c0de-0000-7000-8000-000000000000'::uuid", "'2026-01-02'::date"],
    ...["'{\"a\": [1, null]}'::jsonb", "'{\"b\":1}'::json", "'\\x00ff'::bytea", "NULL::integer"],
    ...["ARRAY[1, NULL, 3]", "ARRAY[1::bigint]", "ARRAY['x,\"y\"', NULL, '']::text[]", "'{}'::text[]"],
    ...["ARRAY['0198c0de-0000-7000-8000-000000000000'::uuid]", "'2026-01-02 03:04:05.678+00'::timestamptz"],
  ];
  const query = {
    sql: `SELECT ${columns.map((column, at) => `${column} AS c${at}`).join(", ")}`,
    args: [],
    argTypes: [],
  };
  const [theirs, ours] = [await official.queryRaw(query), await own.queryRaw(query)];
  const read = ({ rows, ...rest }: typeof ours) => ({
    ...rest,
    // Prisma makes a Date of it; they write it otherwise.
    rows: rows.map((row) =>
      row.map((value) =>
        typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value) : value,
      ),
    ),
  });
  expect(read(ours)).toEqual(read(theirs));
});

test("each type of the schema's columns that exists is known", async () => {
  const { rows } = await pool.query<{ id: number; name: string }>(`SELECT DISTINCT atttypid::integer AS id,
      format_type(atttypid, NULL) AS name FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
      AND relname NOT LIKE '\\_%'`);
  const adapter = new LentAdapter();
  adapter.send = (statement) => pool.query(statement);
  for (const { name } of rows) {
    const query = { sql: `SELECT NULL::${name} AS it`, args: [], argTypes: [] };
    expect((await adapter.queryRaw(query)).rows, name).toEqual([[null]]);
  }
});

test("a call of several statements is undone as one, and the transaction goes on", async () => {
  const id = uuidv7();
  await database.withOrganization(id, async (tx) => {
    await tx.organization.create({ data: organizationOf(id) });
    const missing = tx.organization.update({ where: { id: uuidv7() }, data: { name: "x" } });
    await expect(missing).rejects.toMatchObject({ code: "P2025" });
    const upserted = { where: { id }, create: organizationOf(id), update: { name: "Again" } };
    expect((await tx.organization.upsert(upserted)).name).toBe("Again");
  });
  const found = await database.withOrganization(id, (tx) => tx.organization.findUnique({ where: { id } }));
  expect(found?.name).toBe("Again");
});

test("errors keep Postgres' codes, and the transaction is undone", async () => {
  const id = uuidv7();
  const twice = database.withOrganization(id, async (tx) => {
    await tx.organization.create({ data: organizationOf(id) });
    await tx.organization.create({ data: organizationOf(id) });
  });
  const failure = await twice.catch((error: unknown) => error);
  expect([isUniqueViolation(failure), isDatabaseDown(failure)]).toEqual([true, false]);
  let tries = 0;
  const again = await database.withOrganization(id, async (tx) => {
    if (++tries === 1) {
      await tx.$executeRaw`CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '40001'; END $$`;
      await tx.$executeRaw`CREATE TRIGGER refuse BEFORE INSERT ON organization EXECUTE FUNCTION pg_temp.refuse()`;
    }
    await tx.organization.create({ data: organizationOf(id) });
    return tx.organization.count({ where: { id } });
  });
  expect([again, tries]).toEqual([1, 2]);
  const foreign = database.withOrganization(id, (tx) =>
    tx.membership.create({ data: { id: uuidv7(), organizationId: id, userId: uuidv7(), role: "owner" } }),
  );
  expect(sqlState(await foreign.catch((error: unknown) => error))).toBe("23503");
});

test("a connection that breaks under a model is a database that is away", async () => {
  const broken = database.withOrganization(uuidv7(), async (tx) => {
    await tx.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`.catch(() => undefined);
    await tx.organization.count();
  });
  expect(isDatabaseDown(await broken.catch((error: unknown) => error))).toBe(true);
});

test("a call that is under way as its transaction ends reaches no other transaction", async () => {
  const [mine, yours] = [uuidv7(), uuidv7()];
  for (let round = 0; round < 20; round++) {
    let left: Promise<unknown> = Promise.resolve();
    await database
      .withOrganization(mine, async (tx) => {
        await tx.$queryRaw`SELECT 1`;
        // Nobody waits for it.
        left = tx.organization.create({ data: organizationOf(mine) }).catch((error: unknown) => error);
        throw new Error("over");
      })
      .catch(() => undefined);
    const seen = await database.withOrganization(yours, async (tx) => {
      const [before] = [await tx.organization.count()];
      await left;
      return [before, await tx.organization.count()];
    });
    expect(seen).toEqual([0, 0]);
  }
  const { rows } = await pool.query("SELECT count(*)::integer AS n FROM organization WHERE id = $1", [mine]);
  expect(rows).toEqual([{ n: 0 }]);
});

test("many transactions that use models at once each see their own organization", async () => {
  const many = createDatabase(postgres.ownerUrl, { connections: 6 });
  const ids = Array.from({ length: 30 }, () => uuidv7());
  const work = async (id: string, tx: Tx) => {
    await tx.organization.create({ data: organizationOf(id) });
    const found = await Promise.all(ids.map((each) => tx.organization.findUnique({ where: { id: each } })));
    return found.flatMap((one) => one?.id ?? []);
  };
  const seen = await Promise.all(ids.map((id) => many.withOrganization(id, (tx) => work(id, tx))));
  await many.close();
  expect(seen).toEqual(ids.map((id) => [id]));
});

test("raw statements and the client's own give the same values beside models", async () => {
  const client = new PrismaClient({ adapter: new PrismaPg(postgres.ownerUrl) });
  const text = "SELECT 1::bigint AS n, '2026-01-02 03:04:05+00'::timestamptz AS at, ARRAY['a'] AS list";
  const { rows } = await pool.query(toQuery({ text, values: [] }));
  expect(rows).toEqual(await client.$queryRawUnsafe(text));
  await client.$disconnect();
});
