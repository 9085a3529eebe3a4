/** Notices in the app: sent once, only to people who can act, and withdrawn after the decision. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertRequest, insertServer, insertTask } from "../../test/fixtures/rows.ts";
import { createTellingWorld, type TellingWorld } from "../../test/fixtures/telling-world.ts";
import type { Principal } from "../access/principal.ts";
import { NOTICES } from "../engine/jobs/notifications.ts";
import { assignRequest, recordAnswer, undoAnswer } from "../input-requests/transitions.ts";
import { countUnread, listNotices } from "./queries.ts";
import { setNoticeSettings } from "./settings.ts";
import { markAllRead, markRead } from "./transitions.ts";

type Person = Principal & { userId: string };
let world: TellingWorld;
let server: { id: string; connectionId: string };
let ola: Principal;
let ben: Principal;
let ana: Person;
let vic: Person;

beforeAll(async () => {
  world = await createTellingWorld();
  server = await insertServer(world.database, world.organizationId);
  ola = world.operator;
  ben = world.approver;
  ana = await world.member("admin", "Ana");
  vic = await world.member("viewer", "Vic");
});
afterAll(() => world?.close());

const told = async (person: Principal) => {
  const { items } = await world.within((tx) =>
    listNotices(world.organizationId, tx, person, { limit: 50, unread: "true" }),
  );
  return items.map(({ cause, task, inputRequestId }) => [cause, inputRequestId ?? task?.id]);
};
const everyone = async () => Promise.all([ola, ben, ana, vic].map(told));
const readEverything = async () => {
  for (const person of [ola, ben, ana, vic])
    await world.within((tx) => markAllRead(world.organizationId, tx, person));
};
const insert = (more: Parameters<typeof insertTask>[3] = {}) =>
  insertTask(world.database, world.organizationId, server, more);

async function asked(more: Parameters<typeof insertTask>[3] = {}) {
  const taskId = await insert(more);
  const request = await insertRequest(world.database, world.organizationId, taskId);
  const opened = { type: "request.opened", taskId, inputRequestId: request.id } as const;
  await world.happened(opened);
  await world.run(NOTICES);
  return { taskId, ...request, opened };
}

test("a request is told once to all who may answer it, and to nobody when it is decided; an undo brings it back", async () => {
  const { id, questionHash, opened } = await asked();
  const waits = [["request.waiting", id]];
  expect(await everyone()).toEqual([waits, waits, waits, []]);
  await world.happened(opened, opened);
  await world.run(NOTICES);
  expect(await told(ben)).toEqual(waits);

  await world.within((tx) =>
    recordAnswer(world.organizationId, tx, ben, id, { action: "decline", questionHash, holdMs: 60_000 }),
  );
  await world.run(NOTICES);
  expect(await everyone()).toEqual([[], [], [], []]);
  await world.within((tx) => undoAnswer(world.organizationId, tx, ben, id));
  await world.run(NOTICES);
  // Ben did it himself.
  expect(await everyone()).toEqual([waits, [], waits, []]);
});

test("what is assigned is told to that one alone, and not to who assigns themselves", async () => {
  await readEverything();
  const { id } = await asked();
  const assign = async (by: Principal, to: Principal | null) => {
    const [member] = await world.sql("SELECT id FROM membership WHERE user_id = $1", [to?.userId]);
    await world.within((tx) =>
      assignRequest(world.organizationId, tx, by, id, { memberId: to && String(member?.id) }),
    );
    await world.run(NOTICES);
  };
  await assign(ola, ben);
  expect(await everyone()).toEqual([[], [["request.assigned", id]], [], []]);
  await assign(ola, ola);
  expect(await everyone()).toEqual([[], [], [], []]);
});

test("of a private task only its requester and who is assigned hear", async () => {
  await readEverything();
  const { id } = await asked({ visibility: "private", requester: ana.userId });
  expect(await everyone()).toEqual([[], [], [["request.waiting", id]], []]);
});

test("an end is told to who started it; a start that nobody is sure of to operators, until it is settled", async () => {
  await readEverything();
  const requester = ana.userId;
  const ends = ["completed", "failed", "lost", "expired", "cancelled"] as const;
  const ids = [];
  for (const state of ends) {
    const taskId = await insert({ state, requester });
    ids.push(taskId);
    await world.happened({ type: `task.${state}`, taskId });
  }
  const unknown = await insert({ state: "start_unknown", requester });
  await world.happened({ type: "task.start_unknown", taskId: unknown });
  await world.run(NOTICES);
  const [toOla, toBen, toAna, toVic] = await everyone();
  expect([toBen, toVic]).toEqual([[], []]);
  expect(toOla).toEqual([["task.start_unknown", unknown]]);
  expect(toAna).toHaveLength(5);
  expect(toAna).toEqual(
    expect.arrayContaining([
      ["task.completed", ids[0]],
      ["task.failed", ids[1]],
      ["task.lost", ids[2]],
      ["task.expired", ids[3]],
      ["task.start_unknown", unknown],
    ]),
  );
  await world.sql("UPDATE task SET state = 'failed', finished_at = now(), watched = false WHERE id = $1", [
    unknown,
  ]);
  await world.happened({ type: "task.start_settled", taskId: unknown });
  await world.run(NOTICES);
  expect(await told(ola)).toEqual([]);
});

test("a server in trouble is told to operators until it is well, a connection to its owner or to admins", async () => {
  await readEverything();
  const health = async (state: string) => {
    await world.sql("UPDATE server SET health_state = $1 WHERE id = $2", [state, server.id]);
    await world.happened({ type: "server.health_changed", data: { serverId: server.id, to: state } });
    await world.run(NOTICES);
  };
  await health("unreachable");
  expect((await everyone()).map((each) => each.length)).toEqual([1, 0, 1, 0]);
  await health("ok");
  expect((await everyone()).map((each) => each.length)).toEqual([0, 0, 0, 0]);
  await world.sql(
    `INSERT INTO oauth_grant (organization_id, connection_id, state, sealed_tokens, issuer, metadata, resource, client_id,
      renews, connected_by, needed_scope) VALUES ($1, $2, 'needs_scope', 'x', 'i', '{}', 'r', 'c', false, $3, 'pay')`,
    [world.organizationId, server.connectionId, ana.userId],
  );
  await world.happened({ type: "connection.needs_scope", data: { connectionId: server.connectionId } });
  await world.run(NOTICES);
  expect(await everyone()).toEqual([[], [], [["connection.needs_scope", undefined]], []]);
});

test("a kind that one does not want is not told, and what one may not see any more is not shown", async () => {
  await readEverything();
  await world.within((tx) =>
    setNoticeSettings(world.organizationId, tx, ben, { kinds: { request: { app: false, email: false } } }),
  );
  const cleo = await world.member("approver", "Cleo");
  const { id } = await asked();
  expect([await told(ben), await told(cleo)]).toEqual([[], [["request.waiting", id]]]);
  expect(await told({ ...cleo, role: "viewer" })).toEqual([]);
  const [notice] = (await world.within((tx) => listNotices(world.organizationId, tx, cleo, { limit: 1 })))
    .items;
  const foreign = world.within((tx) => markRead(world.organizationId, tx, ola, notice!.id));
  await expect(foreign).rejects.toMatchObject({ code: "not_found" });
  expect(await world.within((tx) => countUnread(world.organizationId, tx, cleo))).toBe(1);
  await world.sql("DELETE FROM membership WHERE user_id = $1", [cleo.userId]);
  expect(await world.sql("SELECT FROM notice WHERE user_id = $1", [cleo.userId])).toEqual([]);
});

test("two engines at once make no notice twice", async () => {
  await readEverything();
  const taskId = await insert();
  const opened = [];
  for (let at = 0; at < 20; at++) {
    const { id } = await insertRequest(world.database, world.organizationId, taskId, { message: `${at}?` });
    opened.push({ type: "request.opened", taskId, inputRequestId: id } as const);
  }
  await world.happened(...opened, ...opened);
  await Promise.all([NOTICES, NOTICES, NOTICES].map((chore) => world.run(chore)));
  expect(await told(ola)).toHaveLength(20);
});
