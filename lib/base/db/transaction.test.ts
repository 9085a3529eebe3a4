/** What a transaction sends, and what its caller is told however it ends. */
import net, { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { connectRaw } from "../../../test/setup/postgres.ts";
import { inScope, Spent } from "../process/scope.ts";
import { isDatabaseDown, isOutcomeUnknown } from "./database-errors.ts";
import { createDatabase, type Database, Prisma, type Tx } from "./db.ts";
import { type DeferredWrite, deferWrite } from "./deferred-writes.ts";

const ORGANIZATION = "0196a1b2-0000-7000-8000-000000000001";

const postgres = databaseForFile();
let database: Database;

beforeAll(async () => {
  await withClient(postgres.adminUrl, async (client) => {
    await client.query(`CREATE TABLE noted (id integer PRIMARY KEY, of integer
        REFERENCES noted DEFERRABLE INITIALLY DEFERRED);
      GRANT ALL ON noted TO intray_app`);
  });
  database = createDatabase(postgres.appUrl, { connections: 1 });
});
afterAll(async () => {
  await database.close();
});

const noted = () =>
  database
    .gate<{ id: number }>(Prisma.sql`SELECT id FROM noted ORDER BY id`)
    .then((rows) => rows.map(({ id }) => id));

const note = (tx: Tx, id: number) => tx.$executeRaw`INSERT INTO noted VALUES (${id}::integer)`;

test("a transaction sends its work, BEGIN, its scope and COMMIT, and its scope is its own", async () => {
  const spent = new Spent();
  await inScope({ requestId: null, trace: null, spent }, () =>
    database.withOrganization(ORGANIZATION, async (tx) => {
      const [row] = await tx.$queryRaw<{ id: string }[]>`SELECT current_setting('app.organization_id') AS id`;
      expect(row?.id).toBe(ORGANIZATION);
    }),
  );
  expect(spent.queries).toBe(4);
  const [row] = await database.gate<{ id: string | null }>(
    Prisma.sql`SELECT nullif(current_setting('app.organization_id', true), '') AS id`,
  );
  expect(row?.id).toBeNull();
});

test("a statement that fails undoes the transaction, and the connection goes on", async () => {
  await database.withOrganization(ORGANIZATION, (tx) => note(tx, 1));
  const failed = database.withOrganization(ORGANIZATION, async (tx) => {
    await note(tx, 2);
    await note(tx, 1);
  });
  await expect(failed).rejects.toMatchObject({ code: "23505" });
  expect(await noted()).toEqual([1]);
});

test("a constraint that fails at COMMIT fails the call by its own error, and nothing is written", async () => {
  const failed = database.withOrganization(
    ORGANIZATION,
    (tx) => tx.$executeRaw`INSERT INTO noted VALUES (3, 99)`,
  );
  await expect(failed).rejects.toMatchObject({ code: "23503" });
  expect(await noted()).toEqual([1]);
});

test("work that fails is undone", async () => {
  const failed = database.withOrganization(ORGANIZATION, async (tx) => {
    await note(tx, 4);
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  expect(await noted()).toEqual([1]);
});

test("a failure that the work overlooks fails the call: Postgres answers COMMIT with ROLLBACK", async () => {
  const overlooked = database.withOrganization(ORGANIZATION, async (tx) => {
    await note(tx, 5);
    await tx.$executeRaw`SELECT 1 / 0`.catch(() => undefined);
  });
  await expect(overlooked).rejects.toThrow("rolled back instead of committed");
  expect(await noted()).toEqual([1]);
});

test("a statement that waits until the transaction's time is over is undone", async () => {
  const hasty = createDatabase(postgres.appUrl, { connections: 1, transactionMs: 1_000 });
  const failure = await withClient(postgres.adminUrl, async (other) => {
    await other.query("BEGIN; INSERT INTO noted VALUES (6)");
    const failed = hasty.withOrganization(ORGANIZATION, (tx) => note(tx, 6)).catch((error: unknown) => error);
    await Promise.race([failed, sleep(60_000)]);
    await other.query("ROLLBACK");
    return failed;
  });
  expect(isDatabaseDown(failure)).toBe(true);
  await hasty.close();
  expect(await noted()).toEqual([1]);
});

test("a COMMIT that takes longer than the transaction's time is waited for", async () => {
  await withClient(postgres.adminUrl, (client) =>
    client.query(`CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(2.5); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER commit_slowly AFTER INSERT ON noted DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.id = 7) EXECUTE FUNCTION commit_slowly()`),
  );
  const hasty = createDatabase(postgres.appUrl, { connections: 1, transactionMs: 2_000 });
  await hasty.withOrganization(ORGANIZATION, (tx) => note(tx, 7));
  expect(await noted()).toEqual([1, 7]);
  // And the connection serves the next one.
  await hasty.withOrganization(ORGANIZATION, (tx) => tx.$queryRaw`SELECT 1`);
  await hasty.close();
});

/** A way to Postgres that, from the first `word` on, lets nothing of Postgres through and breaks after `ms`; null: never. */
async function silentAt(word: string, ms: number | null, transactionMs?: number) {
  const proxy = net.createServer((client) => {
    const server = connectRaw(postgres.appUrl);
    let isSilent = false;
    client.on("data", (chunk) => {
      if (!isSilent && chunk.includes(word)) {
        isSilent = true;
        if (ms) setTimeout(() => client.destroy(), ms);
      }
      server.write(chunk);
    });
    server.on("data", (chunk) => {
      if (!isSilent) client.write(chunk);
      else if (ms === 0) client.destroy();
    });
    client.on("close", () => server.destroy()).on("error", () => server.destroy());
    server.on("close", () => client.destroy()).on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(postgres.appUrl);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const way = createDatabase(url.href, { connections: 1, ...(transactionMs && { transactionMs }) });
  return {
    way,
    async close() {
      await way.close();
      proxy.close();
    },
  };
}

test("a BEGIN that hears nothing until its time is over and the connection breaks fails the call alone", async () => {
  const silent = await silentAt("BEGIN", 900, 300);
  const failure = await silent.way
    .withOrganization(ORGANIZATION, async () => "begun")
    .catch((error: unknown) => error);
  expect(isDatabaseDown(failure)).toBe(true);
  expect(silent.way.pool()).toEqual({ busy: 0, idle: 0, waiting: 0 });
  await silent.close();
});

test.each([
  ["a BEGIN", "BEGIN", 300, false],
  ["a statement", "INSERT INTO", 300, false],
  ["a COMMIT", "COMMIT", 1_500, true],
])(
  "%s to which Postgres never answers is given up, with its connection",
  async (_what, word, ms, isUnknown) => {
    const silent = await silentAt(word, null, ms);
    const failure = await silent.way
      .withOrganization(ORGANIZATION, (tx) => note(tx, 9))
      .catch((error: unknown) => error);
    expect([isDatabaseDown(failure), isOutcomeUnknown(failure)]).toEqual([true, isUnknown]);
    expect(silent.way.pool()).toEqual({ busy: 0, idle: 0, waiting: 0 });
    await silent.close();
    await database.withOrganization(ORGANIZATION, (tx) => tx.$executeRaw`DELETE FROM noted WHERE id = 9`);
  },
);

test("a statement before an organization is known, to which Postgres never answers, is given up", async () => {
  const silent = await silentAt("gate_of_silence", null, 300);
  const failure = await silent.way
    .gate(Prisma.sql`SELECT 'gate_of_silence'`)
    .catch((error: unknown) => error);
  expect(isDatabaseDown(failure)).toBe(true);
  expect(silent.way.pool()).toEqual({ busy: 0, idle: 0, waiting: 0 });
  await silent.close();
});

test("where the connection breaks before Postgres says whether it committed, the caller is told to look, and nothing is tried again", async () => {
  const silent = await silentAt("COMMIT", 0);
  let tries = 0;
  const failure = await silent.way
    .withOrganization(ORGANIZATION, async (tx) => {
      tries++;
      await note(tx, 8);
    })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "outcome_unknown" });
  expect([isDatabaseDown(failure), tries]).toEqual([true, 1]);
  // It was committed here, which only a look can tell.
  expect(await noted()).toEqual([1, 7, 8]);
  await silent.close();
});

test("deferred writes come last, in their order, and one takes what another would write", async () => {
  const order: string[] = [];
  const write = (name: string, at: number, taken?: DeferredWrite<number>): DeferredWrite<number> => ({
    name,
    order: at,
    async write(_, items, take) {
      order.push(`${name} ${[...items, ...(taken ? take(taken) : [])]}`);
    },
  });
  const third = write("third", 3);
  await database.withOrganization(ORGANIZATION, async (tx) => {
    deferWrite(tx, third, [5]);
    deferWrite(tx, write("second", 2, third), [3]);
    deferWrite(tx, write("first", 1), [1]);
    deferWrite(tx, write("first", 1), [2]);
    order.push("work");
  });
  expect(order).toEqual(["work", "first 1,2", "second 3,5"]);
});

test("a deadlock or a serialization failure runs the work again, a fixed number of times", async () => {
  let tries = 0;
  const result = await database.withOrganization(ORGANIZATION, async (tx) => {
    if (++tries === 1) await tx.$executeRawUnsafe("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
    return "done";
  });
  expect([result, tries]).toEqual(["done", 2]);
  tries = 0;
  const never = database.withOrganization(ORGANIZATION, (tx) => {
    tries++;
    return tx.$executeRawUnsafe("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$");
  });
  await expect(never).rejects.toMatchObject({ code: "40P01" });
  expect(tries).toBe(4);
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

test("a standby in the place of the primary is a database that is away, for reads as for writes", async () => {
  const db = createDatabase(postgres.appDirectUrl, { connections: 1 });
  const read = () => db.gate(Prisma.sql`SELECT 1 AS one`).catch(isDatabaseDown);
  const written = () => db.withOrganization(ORGANIZATION, (tx) => note(tx, 25_006)).catch(isDatabaseDown);
  await withClient(postgres.adminUrl, async (client) => {
    const { rows } = await client.query("SELECT quote_ident(current_database()) AS name");
    const readOnly = (on: string) =>
      client.query(`ALTER DATABASE ${rows[0].name} SET default_transaction_read_only = ${on}`);
    await readOnly("on");
    expect([await read(), await written()]).toEqual([true, true]);
    await readOnly("off");
  });
  expect([await read(), await written()]).toEqual([[{ one: 1 }], 1]);
  await db.close();
});
