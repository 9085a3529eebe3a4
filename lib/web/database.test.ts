import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../test/fixtures/organization-fixture.ts";
import { databaseForFile } from "../../test/for-file.ts";
import { createDatabase, type Database, Prisma } from "../base/db/db.ts";
import { uuidv7 } from "../base/ids.ts";
import { inScope } from "../base/process/scope.ts";
import { fairDatabase } from "./database.ts";
import type { Shares } from "./fair-turns.ts";
import { DATABASE_CONNECTIONS, DATABASE_SHARES, GATE_SHARES } from "./tunables.ts";

const postgres = databaseForFile();
let database: Database;

beforeAll(async () => {
  database = createDatabase(postgres.appUrl, { connections: 5 });
});
afterAll(async () => {
  await database.close();
});

const fairly = (shares: Shares) => fairDatabase(database, shares, shares);
const ids = { a: uuidv7(), b: uuidv7(), c: uuidv7() };
const LONG_MS = 600_000;
const PATIENT = { stillMs: LONG_MS, waitMs: LONG_MS };

/** Runs transactions of these organizations, each of which ends on `endOne()`. */
function slowly(fair: Database) {
  const begun: string[] = [];
  const ends: [string, () => void][] = [];
  const run = (name: keyof typeof ids) =>
    fair.withOrganization(ids[name], async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      begun.push(name);
      await new Promise<void>((resolve) => ends.push([name, resolve]));
      return name;
    });
  const has = (count: number) => until(`${count} have begun`, async () => begun.length === count);
  /** Ends the oldest transaction of an organization. */
  const endOne = (name: keyof typeof ids) => {
    const at = ends.findIndex(([one]) => one === name);
    ends.splice(at, 1)[0]?.[1]();
  };
  return { begun, run, has, endOne };
}

test("one organization has its share at most, and another's begins at once beside it", async () => {
  const { begun, run, has, endOne } = slowly(fairly({ atOnce: 3, ofOne: 2, ...PATIENT }));
  const work = (["a", "a", "a", "a"] as const).map(run);
  await has(2);
  work.push(run("b"));
  await has(3);
  expect(begun.at(-1)).toBe("b");
  // All places are taken: whoever comes waits, and they take turns as places fall free.
  work.push(run("c"));
  endOne("a");
  await has(4);
  expect(begun.at(-1)).toBe("a");
  endOne("b");
  await has(5);
  expect(begun.at(-1)).toBe("c");
  endOne("a");
  await has(6);
  for (const name of ["a", "a", "c"] as const) endOne(name);
  expect(await Promise.all(work)).toEqual(["a", "a", "a", "a", "b", "c"]);
});

test("who waits in a line that stands still is told so, and takes no place later", async () => {
  const { begun, run, has, endOne } = slowly(fairly({ atOnce: 2, ofOne: 1, stillMs: 20, waitMs: LONG_MS }));
  const first = run("a");
  await has(1);
  await expect(run("a")).rejects.toMatchObject({ code: "database_busy", status: 503, retryAfterMs: 2_000 });
  endOne("a");
  await first;
  const next = run("a");
  await has(2);
  endOne("a");
  await next;
  expect(begun).toEqual(["a", "a"]);
});

test("a line that moves is waited in for longer, and not for ever", async () => {
  const shares = { atOnce: 1, ofOne: 1, stillMs: 1_000 };
  const patient = fairly({ ...shares, waitMs: LONG_MS });
  for (;;) {
    const turns = [performance.now()];
    const work = () =>
      patient.withOrganization(ids.a, async (tx) => {
        turns.push(performance.now());
        await tx.$queryRaw`SELECT 1 FROM pg_sleep(0.3)`;
      });
    // All together they take longer than a line may stand still.
    const all = await Promise.allSettled(Array.from({ length: 7 }, work));
    turns.push(performance.now());
    // On a busy machine the line stood still: that proves nothing.
    if (turns.some((at, n) => n > 0 && at - turns[n - 1]! > shares.stillMs - 100)) continue;
    expect(all.map(({ status }) => status)).toEqual(all.map(() => "fulfilled"));
    break;
  }
  const hasty = fairly({ ...shares, stillMs: LONG_MS, waitMs: 20 });
  const { run, has, endOne } = slowly(hasty);
  const first = run("a");
  await has(1);
  await expect(run("a")).rejects.toMatchObject({ code: "database_busy" });
  endOne("a");
  await first;
});

test("a read whose caller has left waits no longer", async () => {
  const { begun, run, has, endOne } = slowly(fairly({ atOnce: 1, ofOne: 1, ...PATIENT }));
  const first = run("a");
  await has(1);
  const left = new AbortController();
  const read = () => inScope({ requestId: null, trace: null, left: left.signal }, () => run("b"));
  const waiting = read();
  left.abort();
  // Nothing of ours failed: in the log and the metrics it is no 503.
  await expect(waiting).rejects.toMatchObject({ code: "caller_left", status: 499 });
  await expect(read()).rejects.toMatchObject({ code: "caller_left", status: 499 });
  endOne("a");
  await first;
  expect(begun).toEqual(["a"]);
});

test("half of the places at most are one organization's", () => {
  expect(DATABASE_SHARES.ofOne).toBeLessThanOrEqual(DATABASE_SHARES.atOnce / 2);
  expect(DATABASE_SHARES.atOnce).toBeLessThan(DATABASE_CONNECTIONS);
  expect(GATE_SHARES.ofOne).toBeLessThanOrEqual(GATE_SHARES.atOnce / 2);
  expect(GATE_SHARES.atOnce).toBeLessThan(DATABASE_CONNECTIONS);
});

test("statements of one network that get no further leave room for another's, and for transactions", async () => {
  const fair = fairly({ atOnce: 2, ofOne: 1, ...PATIENT });
  const lock = Prisma.sql`SELECT 1 AS done FROM pg_advisory_xact_lock(20261130)`;
  const of = <T>(network: string, query: Prisma.Sql) =>
    inScope({ requestId: null, trace: null, caller: { network, left: new AbortController().signal } }, () =>
      fair.gate<T>(query),
    );
  const isHeld = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<void>();
  const holder = database.withOrganization(ids.a, async (tx) => {
    await tx.$queryRaw(lock);
    isHeld.resolve();
    await isOver.promise;
  });
  await isHeld.promise;
  // More than the pool has connections.
  const flood = Array.from({ length: 12 }, () => of("flood", lock));
  expect(await of("person", Prisma.sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  expect(await fair.withOrganization(ids.b, async () => "done")).toBe("done");
  isOver.resolve();
  await holder;
  expect(await Promise.all(flood)).toHaveLength(12);
});

test("one that fails leaves its place to the next", async () => {
  const fair = fairly({ atOnce: 1, ofOne: 1, ...PATIENT });
  const failed = fair.withOrganization(ids.a, (tx) => tx.$queryRaw`SELECT 1 / 0`);
  const next = fair.withOrganization(ids.b, async () => "done");
  await expect(failed).rejects.toThrow("division by zero");
  expect(await next).toBe("done");
});

/** SQL of a row that names the organization, as a key's does. */
