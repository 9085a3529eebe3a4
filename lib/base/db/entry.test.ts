/** Transactions that begin with the look at a credential. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/setup/postgres.ts";
import { uuidv7 } from "../ids.ts";
import { createDatabase, type Database, type Entrant, Prisma, type Tx } from "./db.ts";

let postgres: TestDatabase;
let database: Database;

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = createDatabase(postgres.appUrl, { connections: 1 });
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});

const [acme, beta] = [uuidv7(), uuidv7()];
const whose = (id: string | null) =>
  Prisma.sql`(SELECT ${id}::uuid AS organization_id, 'x' AS name WHERE ${id}::uuid IS NOT NULL)`;
const scopeOf = async (tx: Tx) =>
  (await tx.$queryRaw<{ id: string }[]>`SELECT current_setting('app.organization_id') AS id`)[0]?.id;
const left = async () =>
  (
    await database.gate<{ id: string | null }>(
      Prisma.sql`SELECT nullif(current_setting('app.organization_id', true), '') AS id`,
    )
  )[0]?.id;

test("goes on as the organization of the row, with the settings of any other, for itself alone", async () => {
  const entry = await database.enter<Entrant & { name: string }>(whose(acme));
  expect(entry?.row).toMatchObject({ organization_id: acme, name: "x" });
  const settings = await entry?.run(async (tx) => {
    expect(await scopeOf(tx)).toBe(acme);
    return tx.$queryRaw`SELECT name, setting FROM pg_settings
      WHERE name IN ('statement_timeout', 'jit', 'idle_in_transaction_session_timeout', 'plan_cache_mode') ORDER BY name`;
  });
  const usual = await database.withOrganization(
    beta,
    (tx) => tx.$queryRaw`SELECT name, setting FROM pg_settings
      WHERE name IN ('statement_timeout', 'jit', 'idle_in_transaction_session_timeout', 'plan_cache_mode') ORDER BY name`,
  );
  expect(settings).toEqual(usual);
  expect(await left()).toBeNull();
});

test("has one plan for all statements where that is asked for", async () => {
  const entry = await database.enter(whose(acme), { planOnce: true });
  const [mode] =
    (await entry?.run(
      (tx) => tx.$queryRaw<{ is: string }[]>`SELECT current_setting('plan_cache_mode') AS is`,
    )) ?? [];
  expect(mode?.is).toBe("force_generic_plan");
});

test("without a row nothing has begun, and what is left or was used once holds no connection", async () => {
  expect(await database.enter(whose(null))).toBeNull();
  const entry = await database.enter(whose(acme));
  await entry?.leave();
  await entry?.leave();
  expect(() => entry?.run(async () => undefined)).toThrow("twice");
  const next = await database.enter(whose(acme));
  await next?.run(scopeOf);
  await next?.leave();
  expect(await left()).toBeNull();
});

test("another attempt begins a transaction of its own, of the same organization", async () => {
  const entry = await database.enter(whose(acme));
  let tries = 0;
  const seen = await entry?.run(async (tx) => {
    const id = await scopeOf(tx);
    // Postgres' way to say that it should be tried again.
    if (++tries === 1) await tx.$executeRawUnsafe("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
    return id;
  });
  expect([seen, tries]).toEqual([acme, 2]);
});

test("work that fails is rolled back, and its error told", async () => {
  const entry = await database.enter(whose(acme));
  const failed = entry?.run(async () => {
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect(await left()).toBeNull();
});

test("a statement of the gate that a deadlock ended runs again, and has happened once", async () => {
  await postgres.sql(`CREATE SEQUENCE tries; CREATE TABLE written (n bigint);
    CREATE FUNCTION gate.once_ended(p_times bigint) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
    DECLARE n bigint := nextval('tries');
    BEGIN
      INSERT INTO written VALUES (n);
      IF n <= p_times THEN RAISE SQLSTATE '40P01' USING MESSAGE = 'deadlock detected'; END IF;
      RETURN n;
    END $$;
    GRANT EXECUTE ON FUNCTION gate.once_ended(bigint) TO PUBLIC`);
  expect(await database.gate(Prisma.sql`SELECT gate.once_ended(1) AS n`)).toEqual([{ n: 2n }]);
  expect(await postgres.sql("SELECT n::integer FROM written")).toEqual([{ n: 2 }]);
  // Not for ever, if it never succeeds.
  await expect(database.gate(Prisma.sql`SELECT gate.once_ended(1000)`)).rejects.toThrow("deadlock detected");
  expect(await postgres.sql("SELECT last_value::integer AS tries FROM tries")).toEqual([{ tries: 6 }]);
});
