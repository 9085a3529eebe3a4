import { beforeAll, expect, test } from "vitest";
import { uuidv7 } from "@/lib/base/ids.ts";
import { inScope, Spent } from "@/lib/base/process/scope.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let key: string;

beforeAll(async () => {
  key = await web.key(await web.organization("acme"), "viewer");
});

const SHAPE = /^total;dur=([\d.]+), db;dur=([\d.]+);desc="(\d+) quer(y|ies)"$/;

test("an answer says how long it took, and how many queries of it", async () => {
  await web.call("GET", "/api/v1/tasks", { key }); // connects
  const { headers } = await web.call("GET", "/api/v1/tasks", { key });
  const [, total, database, queries] = SHAPE.exec(headers.get("server-timing") ?? "") ?? [];
  expect(Number(queries)).toBeGreaterThanOrEqual(3); // the key; begin with the organization; list
  expect(Number(database)).toBeGreaterThan(0);
  expect(Number(total)).toBeGreaterThanOrEqual(Number(database));
});

test("each call counts its own queries, whatever goes on beside it", async () => {
  const queriesOf = (path: string) =>
    web.call("GET", path, { key }).then(({ headers }) => SHAPE.exec(headers.get("server-timing") ?? "")?.[3]);
  const alone = [await queriesOf("/api/v1/me"), await queriesOf("/api/v1/tasks")];
  const together = await Promise.all(
    Array.from({ length: 5 }, () => Promise.all([queriesOf("/api/v1/me"), queriesOf("/api/v1/tasks")])),
  );
  for (const pair of together) expect(pair).toEqual(alone);
  expect(alone[0]).not.toBe(alone[1]);
});

test("queries that are under way together take their time once", async () => {
  const [spent, began] = [new Spent(), performance.now()];
  const wait = () => web.db.withOrganization(uuidv7(), (tx) => tx.$queryRaw`SELECT 1 FROM pg_sleep(0.2)`);
  await inScope({ requestId: null, trace: null, spent }, () => Promise.all([wait(), wait(), wait()]));
  expect(spent.queries).toBeGreaterThanOrEqual(6); // and what begins and ends each
  // The three wait side by side: the sum would be more than has gone by.
  expect(spent.ms).toBeGreaterThan(180);
  expect(spent.ms).toBeLessThanOrEqual(performance.now() - began);
});

test("who is not known is told nothing of it", async () => {
  const { status, headers } = await web.call("GET", "/api/v1/tasks", { key: "itk_wrong" });
  expect([status, headers.get("server-timing")]).toEqual([401, null]);
});
