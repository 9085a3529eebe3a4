import { expect, test } from "vitest";
import type { Database, Tx } from "../db.ts";
import { takingTurns } from "./fair-database.ts";

/** Transactions that end when they are told to, in the order in which they began. */
function slowDatabase() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const database: Database = {
    async withOrganization(organizationId, work) {
      begun.push(organizationId);
      await new Promise<void>((resolve) => ends.push(resolve));
      return work({} as Tx);
    },
    gate: async () => [],
    pool: () => ({ busy: 0, idle: 0, waiting: 0 }),
    close: async () => undefined,
  };
  const endOne = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { database, begun, endOne };
}

test("an organization that has much to do holds up no other: they take turns", async () => {
  const { database, begun, endOne } = slowDatabase();
  const fair = takingTurns(database, 2);
  const work = ["a", "a", "a", "a", "a", "b", "b", "c"].map((organization) =>
    fair.withOrganization(organization, async () => organization),
  );
  expect(begun).toEqual(["a", "a"]);
  for (let n = 0; n < 8; n++) await endOne();
  expect(begun).toEqual(["a", "a", "a", "b", "c", "a", "b", "a"]);
  expect(await Promise.all(work)).toEqual(["a", "a", "a", "a", "a", "b", "b", "c"]);
});

test("one that fails leaves its place to the next", async () => {
  const { database, begun, endOne } = slowDatabase();
  const fair = takingTurns(database, 1);
  const failed = fair.withOrganization("a", async () => {
    throw new Error("no");
  });
  const next = fair.withOrganization("b", async () => "done");
  failed.catch(() => undefined);
  await endOne();
  await expect(failed).rejects.toThrow("no");
  await endOne();
  expect(await next).toBe("done");
  expect(begun).toEqual(["a", "b"]);
});
