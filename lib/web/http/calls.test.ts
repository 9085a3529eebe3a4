import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { statementsOf } from "../../../test/guards/statements.ts";
import { createDatabase, type Database, Prisma } from "../../base/db/db.ts";
import { CallCounter } from "./calls.ts";

const database = databaseForFile();
let pools: Database[];

beforeAll(async () => {
  pools = [1, 2].map(() => createDatabase(database.appUrl, { connections: 3 }));
});
afterAll(async () => {
  for (const pool of pools) await pool.close();
});

const HOUR_MS = 3600_000;
const counters = () => pools.map((pool) => new CallCounter(async () => pool));

test("two processes together let through as many calls as the limit says, and not one more", async () => {
  const [one, other] = counters();
  const limit = { limit: 100, windowMs: HOUR_MS };
  const waits = await Promise.all(
    Array.from({ length: 300 }, (_, at) => (at % 2 ? one : other)!.take("calls shared", limit)),
  );
  expect(waits.filter((wait) => wait === 0)).toHaveLength(100);
  for (const wait of waits.filter((each) => each !== 0)) {
    expect(wait).toBeGreaterThan(HOUR_MS - 120_000);
    expect(wait).toBeLessThanOrEqual(HOUR_MS);
  }
});

test("a call within a chunk, or refused, costs no statement", async () => {
  const [counter] = counters();
  const limit = { limit: 40, windowMs: HOUR_MS };
  const [, sent] = await statementsOf(async () => {
    for (let call = 0; call < 400; call++) await counter!.take("calls chunked", limit);
  });
  // Ten chunks of four, and the one that finds nothing left.
  expect(sent.filter((text) => text.includes("take_calls"))).toHaveLength(11);
});

test("each key has a window of its own, and gets another when it is over", async () => {
  const [counter] = counters();
  const limit = { limit: 1, windowMs: 3_000 };
  expect(await counter!.take("calls one", limit)).toBe(0);
  const wait = await counter!.take("calls one", limit);
  expect(wait).toBeGreaterThan(0);
  expect(await counter!.take("calls other", limit)).toBe(0);
  await expect.poll(() => counter!.take("calls one", limit), { timeout: 60_000 }).toBe(0);
});

test("windows that are over are forgotten, but for a day's of tries to sign in", async () => {
  const [pool] = pools;
  for (const key of ["calls old", "calls new", "sign-in old", "sign-in older"])
    await pool!.gate(Prisma.sql`SELECT * FROM gate.take_calls(${key}, 1, 10, 60000)`);
  const keys = await withClient(database.adminUrl, async (client) => {
    await client.query(
      "UPDATE throttle SET window_started_at = now() - interval '1 hour' WHERE key LIKE '% old'",
    );
    await client.query(
      "UPDATE throttle SET window_started_at = now() - interval '2 days' WHERE key LIKE '% older'",
    );
    await pool!.gate(Prisma.sql`SELECT gate.sweep_throttle()`);
    return (await client.query("SELECT key FROM throttle WHERE key ~ 'old|new' ORDER BY key")).rows;
  });
  expect(keys.map(({ key }) => key)).toEqual(["calls new", "sign-in old"]);
});
