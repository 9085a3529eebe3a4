/** Followers read every history line once, despite concurrent readers and crashes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../../../test/setup/postgres.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { appendEvents, ENGINE_ACTOR } from "./event-writes.ts";
import { type Beginning, organizationsBehind, takeEvents } from "./follow.ts";

let engine: Database;
let close: () => Promise<void>;
let organizationId: string;

beforeAll(async () => {
  const postgres = await createTestDatabase();
  const owner = createDatabase(postgres.ownerUrl, { connections: 2 });
  engine = createDatabase(postgres.engineUrl, { connections: 4 });
  organizationId = uuidv7();
  await owner.withOrganization(organizationId, async (tx) => {
    await tx.organization.create({ data: { id: organizationId, slug: "acme", name: "Acme" } });
    for (let at = 0; at < 7; at++)
      await appendEvents(tx, [{ type: "server.created", actor: ENGINE_ACTOR, data: { at } }]);
  });
  close = async () => {
    await owner.close();
    await engine.close();
    await postgres.drop();
  };
});
afterAll(() => close?.());

const take = (follower: string, limit: number, begins: Beginning = "first") =>
  engine.withOrganization(organizationId, (tx) => takeEvents(tx, { follower, begins }, limit));

const behind = async (follower: string) =>
  (await engine.gate<{ id: string }>(organizationsBehind(follower))).map(({ id }) => id);

test("lines are read on from where the last commit left", async () => {
  expect(await behind("reader")).toEqual([organizationId]);
  expect((await take("reader", 3)).map(({ data }) => data.at)).toEqual([0, 1, 2]);
  const dies = engine.withOrganization(organizationId, async (tx) => {
    expect(await takeEvents(tx, { follower: "reader", begins: "first" }, 3)).toHaveLength(3);
    throw new Error("killed");
  });
  await expect(dies).rejects.toThrow("killed");
  expect((await take("reader", 10)).map(({ data }) => data.at)).toEqual([3, 4, 5, 6]);
  expect(await take("reader", 10)).toEqual([]);
  expect(await behind("reader")).toEqual([]);
});

test("of two that read at once each line is one's", async () => {
  await take("racer", 1);
  const both = await Promise.all(Array.from({ length: 4 }, () => take("racer", 2)));
  const rest = await take("racer", 10);
  const read = [...both.flat(), ...rest].map(({ seq }) => Number(seq)).sort((a, b) => a - b);
  expect(read).toEqual([2, 3, 4, 5, 6, 7]);
});

test("one that begins now is told of what comes, not of what was", async () => {
  expect(await take("newcomer", 10, "now")).toEqual([]);
  expect(await behind("newcomer")).toEqual([]);
  await engine.withOrganization(organizationId, (tx) =>
    appendEvents(tx, [{ type: "server.removed", actor: ENGINE_ACTOR }]),
  );
  expect((await take("newcomer", 10, "now")).map(({ type }) => type)).toEqual(["server.removed"]);
});
