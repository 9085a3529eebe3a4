/** Scans of many connections in one transaction, on a real Postgres. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { insertTask } from "../../../test/fixtures/rows.ts";
import { isDatabaseDown } from "../../base/db/database-errors.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { LeaseLost } from "./fence.ts";
import { GroupScan } from "./group-scan.ts";

const CONNECTIONS = 5;

const fixture = organizationForFile([]);
let database: Database;
let transactions = 0;
const connections: string[] = [];
const queued: string[] = [];

beforeAll(async () => {
  const real = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_URL ?? "", { connections: 2 });
  database = {
    ...real,
    withOrganization(organizationId, work) {
      transactions++;
      return real.withOrganization(organizationId, work);
    },
  };
  for (let at = 0; at < CONNECTIONS; at++) {
    const { serverId: id, connectionId } = await fixture.addServer(
      `http://127.0.0.1:${at + 1}/mcp`,
      "2026-07-28",
    );
    connections.push(connectionId);
    queued.push(
      await insertTask(fixture.database, fixture.organizationId, { id, connectionId }, { state: "queued" }),
    );
    await insertTask(fixture.database, fixture.organizationId, { id, connectionId });
  }
  await fixture.within((tx) => tx.$executeRaw`UPDATE connection SET epoch = 7`);
});
afterAll(async () => {
  await database?.close();
});

test("those that come at once are read together, and each gets its own; whose lease was lost gets nothing", async () => {
  const lost = connections[2];
  const seen: string[] = [];
  const scans = new GroupScan(database);
  const scan = (connectionId: string) =>
    scans
      .run(fixture.organizationId, {
        connectionId,
        epoch: connectionId === lost ? 6n : 7n,
        see: ({ paused }) => seen.push(`${connectionId} ${paused}`),
      })
      .catch((error: unknown) => error);
  const found = await Promise.all(connections.map(scan));
  // The first scan begins at once; the others wait for its end and share a transaction.
  expect(transactions).toBe(2);
  for (const [at, ids] of found.entries())
    if (at === 2) expect(ids).toBeInstanceOf(LeaseLost);
    else expect(ids).toEqual([queued[at]]);
  expect(seen.sort()).toEqual(
    connections
      .filter((id) => id !== lost)
      .map((id) => `${id} false`)
      .sort(),
  );
});

test("if the database is down all callers get the error, and later callers are served", async () => {
  const gone = createDatabase("postgresql://nobody@127.0.0.1:1/none");
  let isGone = true;
  const scans = new GroupScan({
    ...database,
    withOrganization: (...given) => (isGone ? gone : database).withOrganization(...given),
  });
  const all = () =>
    Promise.allSettled(
      connections.map((connectionId) =>
        scans.run(fixture.organizationId, { connectionId, epoch: 7n, see: () => undefined }),
      ),
    );
  const refused = await all();
  expect(refused.every((end) => end.status === "rejected" && isDatabaseDown(end.reason))).toBe(true);
  isGone = false;
  const served = await all();
  expect(served.map((end) => end.status === "fulfilled" && end.value)).toEqual(queued.map((id) => [id]));
  await gone.close();
});
