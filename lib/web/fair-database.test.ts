import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../test/fixtures/organization-fixture.ts";
import { createTestDatabase, type TestDatabase } from "../../test/setup/postgres.ts";
import { createDatabase, type Database } from "../base/db/db.ts";
import { uuidv7 } from "../base/ids.ts";
import { fairDatabase } from "./fair-database.ts";

let postgres: TestDatabase;
let database: Database;

beforeAll(async () => {
  postgres = await createTestDatabase();
  database = createDatabase(postgres.appUrl, { connections: 5 });
});
afterAll(async () => {
  await database.close();
  await postgres.drop();
});

const ids = { a: uuidv7(), b: uuidv7(), c: uuidv7() };
const LONG_MS = 600_000;

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
  const { begun, run, has, endOne } = slowly(
    fairDatabase(database, { atOnce: 3, ofOne: 2, waitMs: LONG_MS }),
  );
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

test("who waits too long is told so, and takes no place later", async () => {
  const { begun, run, has, endOne } = slowly(fairDatabase(database, { atOnce: 2, ofOne: 1, waitMs: 20 }));
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

test("one that fails leaves its place to the next", async () => {
  const fair = fairDatabase(database, { atOnce: 1, ofOne: 1, waitMs: LONG_MS });
  const failed = fair.withOrganization(ids.a, (tx) => tx.$queryRaw`SELECT 1 / 0`);
  const next = fair.withOrganization(ids.b, async () => "done");
  await expect(failed).rejects.toThrow("division by zero");
  expect(await next).toBe("done");
});
