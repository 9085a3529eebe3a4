import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { databaseForFile } from "../../../test/for-file.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { fairDatabase } from "./fair-database.ts";

const postgres = databaseForFile();
let database: Database;

beforeAll(async () => {
  database = createDatabase(postgres.engineUrl, { connections: 4 });
});
afterAll(async () => {
  await database.close();
});

const ids = { a: uuidv7(), b: uuidv7(), c: uuidv7() };

/** Runs transactions of these organizations, each of which ends on `endOne()`. */
function slowly(fair: Database) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (name: keyof typeof ids) =>
    fair.withOrganization(ids[name], async (tx) => {
      const [seen] = await tx.$queryRaw<
        { id: string }[]
      >`SELECT current_setting('app.organization_id') AS id`;
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return seen?.id;
    });
  const has = (count: number) => until(`${count} have begun`, async () => begun.length === count);
  return { begun, run, has, endOne: () => ends.shift()?.() };
}

test("an organization that has much to do holds up no other: they take turns", async () => {
  const { begun, run, has, endOne } = slowly(fairDatabase(database, 3));
  const names = ["a", "a", "a", "a", "a", "b", "b", "c"] as const;
  // The first ones have a connection each, so that any of them could begin first.
  const work: ReturnType<typeof run>[] = [];
  for (const name of names) {
    work.push(run(name));
    if (work.length < 3) await has(work.length);
  }
  for (let count = 3; count <= names.length; count++) {
    await has(count);
    // A further transaction would have begun by now.
    await database.withOrganization(ids.a, (tx) => tx.$queryRaw`SELECT 1`);
    expect(begun).toHaveLength(count);
    endOne();
  }
  endOne();
  endOne();
  expect(begun).toEqual(["a", "a", "b", "a", "b", "c", "a", "a"]);
  expect(await Promise.all(work)).toEqual(names.map((name) => ids[name]));
});

test("an organization whose transactions all wait for a lock leaves a place to the others", async () => {
  const { begun, run, has, endOne } = slowly(fairDatabase(database, 3));
  const work = (["a", "a", "a", "a"] as const).map(run);
  await has(2);
  work.push(run("b"));
  await has(3);
  expect(begun).toEqual(["a", "a", "b"]);
  for (let left = 0; left < 2; left++) endOne();
  await has(5);
  for (let left = 0; left < 3; left++) endOne();
  await Promise.all(work);
});

test("one that fails leaves its place to the next", async () => {
  const fair = fairDatabase(database, 1);
  const failed = fair.withOrganization(ids.a, (tx) => tx.$queryRaw`SELECT 1 / 0`);
  const next = fair.withOrganization(ids.b, async () => "done");
  await expect(failed).rejects.toThrow("division by zero");
  expect(await next).toBe("done");
});
