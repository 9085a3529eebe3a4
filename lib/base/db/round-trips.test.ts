/** What a transaction sends around its work, and that what fails there fails as before. */
import net, { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { connectRaw, createTestDatabase, type TestDatabase } from "../../../test/setup/postgres.ts";
import { inScope, Spent } from "../process/scope.ts";
import { createDatabase, type Database, isDatabaseDown, Prisma, type Tx } from "./db.ts";
import { type DeferredWrite, deferWrite } from "./deferred-writes.ts";
import { foldingRoundTrips, LAST } from "./round-trips.ts";
import { NamingClient } from "./statements.ts";

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
  const spent = new Spent();
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
  await expect(failed).rejects.toMatchObject({ code: "23505" });
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

/** Writes a row with the last statement of a transaction, to which COMMIT is attached. */
const lastly = (after: () => void = () => undefined): DeferredWrite<number> => ({
  name: "noted",
  order: 1,
  async write(tx, [id], { mark }) {
    await tx.$executeRaw`${Prisma.raw(mark())}INSERT INTO noted VALUES (${id}::integer)`;
    after();
  },
});

/** Notes `id` by a transaction's last statement. Returns what the caller is told. */
async function told(of: Database, id: number, write = lastly()): Promise<unknown> {
  const work = async (tx: Tx) => {
    deferWrite(tx, write, [id]);
    return `noted ${id}`;
  };
  return of.withOrganization(ORGANIZATION, work).catch((error: unknown) => error);
}

test("what fails after the last statement was committed does not make the call fail: it has its result", async () => {
  const late = lastly(() => {
    throw new Error("too late");
  });
  expect(await told(database, 10, late)).toBe("noted 10");
  expect(await noted()).toContain(10);
});

test("a last statement that waits until the transaction's time is over is not committed behind its caller's back", async () => {
  const hasty = createDatabase(postgres.appUrl, { connections: 1, transactionMs: 1_000 });
  const failure = await withClient(postgres.adminUrl, async (other) => {
    await other.query("BEGIN; INSERT INTO noted VALUES (11)");
    const failed = told(hasty, 11);
    await Promise.race([failed, sleep(3_000)]);
    await other.query("ROLLBACK");
    return failed;
  });
  expect(isDatabaseDown(failure)).toBe(true);
  await hasty.close();
  expect(await noted()).not.toContain(11);
});

/** A way to Postgres whose answers to a last statement are held until `end`. */
async function slowly() {
  const sockets: net.Socket[] = [];
  let isHeld = true;
  let arrived = () => {};
  const marked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const proxy = net.createServer((client) => {
    const server = connectRaw(postgres.appUrl);
    const held: Buffer[] = [];
    let isLast = false;
    sockets.push(client);
    client.on("data", (chunk) => {
      if (chunk.includes("INSERT INTO noted")) {
        isLast = true;
        arrived();
      }
      server.write(chunk);
    });
    server.on("data", (chunk) => {
      if (isLast && isHeld) held.push(chunk);
      else client.write(Buffer.concat([...held.splice(0), chunk]));
    });
    client.on("release", () => {
      if (held.length > 0) client.write(Buffer.concat(held.splice(0)));
    });
    client.on("close", () => server.destroy()).on("error", () => server.destroy());
    server.on("close", () => client.destroy()).on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(postgres.appUrl);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const way = createDatabase(url.href, { connections: 1, transactionMs: 1_000 });
  return {
    way,
    marked,
    release() {
      isHeld = false;
      for (const socket of sockets) socket.emit("release");
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      await way.close();
      proxy.close();
    },
  };
}

test("an answer that comes after the transaction's time tells the truth: what was committed is not said to have failed", async () => {
  const slow = await slowly();
  const answer = told(slow.way, 12);
  await slow.marked;
  await sleep(1_500);
  slow.release();
  const said = await answer;
  // On a machine so busy that COMMIT did not go along, the transaction was ended, and that is said.
  if (said !== "noted 12") expect(isDatabaseDown(said)).toBe(true);
  expect((await noted()).includes(12)).toBe(said === "noted 12");
  await slow.close();
});

test("where the connection breaks before Postgres says whether it committed, the caller is told to look", async () => {
  const slow = await slowly();
  const answer = told(slow.way, 13);
  await slow.marked;
  slow.cut();
  expect(isDatabaseDown(await answer)).toBe(true);
  await slow.close();
});

test("a COMMIT that Postgres answers with ROLLBACK fails the call, whether it went along or not", async () => {
  const unnoticed = database.withOrganization(ORGANIZATION, async (tx) => {
    await tx.$executeRaw`INSERT INTO noted VALUES (14)`;
    await tx.$executeRaw`SELECT 1 / 0`.catch(() => undefined);
  });
  await expect(unnoticed).rejects.toThrow("rolled back instead of committed");
  const unnoticedLast = database.withOrganization(ORGANIZATION, async (tx) => {
    await tx.$executeRaw`INSERT INTO noted VALUES (14)`;
    await tx.$executeRaw`${last}INSERT INTO noted VALUES (1)`.catch(() => undefined);
  });
  await expect(unnoticedLast).rejects.toThrow("rolled back instead of committed");
  expect(await noted()).not.toContain(14);
});

test("a last statement that can't be written is followed by no COMMIT: what came before it is undone", async () => {
  const Client = foldingRoundTrips(NamingClient);
  const client = new Client({ connectionString: postgres.appUrl, ...{ pipeline: true } });
  await client.connect();
  const send = (text: string, values: unknown[] = []) => client.query({ text, values });
  await send("BEGIN");
  await send("INSERT INTO noted VALUES ($1::integer)", [15]);
  const unwritable = {
    toPostgres() {
      throw new Error("no such value");
    },
  };
  await expect(send(`${LAST}INSERT INTO noted VALUES ($1::integer)`, [unwritable])).rejects.toThrow(
    "no such",
  );
  await send("ROLLBACK");
  expect(await noted()).not.toContain(15);
  // And the connection goes on.
  await send("BEGIN");
  await send(`${LAST}INSERT INTO noted VALUES ($1::integer)`, [16]);
  expect(await send("COMMIT")).toMatchObject({ command: "COMMIT" });
  expect(await noted()).toContain(16);
  await client.end();
});

test("a COMMIT that takes longer than the transaction's time is waited for", async () => {
  await withClient(postgres.adminUrl, (client) =>
    client.query(`CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER commit_slowly AFTER INSERT ON noted DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (NEW.id = 20) EXECUTE FUNCTION commit_slowly()`),
  );
  const hasty = createDatabase(postgres.appUrl, { connections: 1, transactionMs: 500 });
  await hasty.withOrganization(ORGANIZATION, (tx) => tx.$executeRaw`INSERT INTO noted VALUES (20)`);
  expect(await noted()).toContain(20);
  // And the connection serves the next one.
  await hasty.withOrganization(ORGANIZATION, (tx) => tx.$queryRaw`SELECT 1`);
  await hasty.close();
});
