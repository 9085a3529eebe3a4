/** Notices in the app: sent once, only to people who can act, and withdrawn after the decision. */
import { beforeAll, expect, test } from "vitest";
import { createNotificationsFixture } from "../../../test/fixtures/notifications-fixture.ts";
import { insertRequest, insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { forFile } from "../../../test/for-file.ts";
import type { Principal } from "../../access/principal.ts";
import { ABSENCES, NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { endAway, setAway } from "../../policy/away/away-writes.ts";
import { recordDecision, undoAnswer } from "../../requests/answers/answer-writes.ts";
import { assignRequest } from "../../requests/claims/claim-writes.ts";
import { countUnread, listNotices } from "./notice-reads.ts";
import { markAllRead, markRead } from "./notice-writes.ts";
import { setNoticeSettings } from "./settings.ts";

type Person = Principal & { userId: string };
const fixture = forFile(createNotificationsFixture);
let server: { id: string; connectionId: string };
let ola: Principal;
let ben: Principal;
let ana: Person;
let vic: Person;

beforeAll(async () => {
  server = await insertServer(fixture.database, fixture.organizationId);
  ola = fixture.operator;
  ben = fixture.approver;
  ana = await fixture.member("admin", "Ana");
  vic = await fixture.member("viewer", "Vic");
});

const notified = async (person: Principal) => {
  const { items } = await fixture.within((tx) => listNotices(tx, person, { limit: 50, unread: "true" }));
  return items.map(({ cause, task, inputRequestId }) => [cause, inputRequestId ?? task?.id]);
};
const everyone = async () => Promise.all([ola, ben, ana, vic].map(notified));
const readEverything = async () => {
  for (const person of [ola, ben, ana, vic]) await fixture.within((tx) => markAllRead(tx, person));
};
const insert = (more: Parameters<typeof insertTask>[3] = {}) =>
  insertTask(fixture.database, fixture.organizationId, server, more);

async function asked(more: Parameters<typeof insertTask>[3] = {}) {
  const taskId = await insert(more);
  const request = await insertRequest(fixture.database, fixture.organizationId, taskId);
  const opened = { type: "request.opened", taskId, inputRequestId: request.id } as const;
  await fixture.happened(opened);
  await fixture.run(NOTICES);
  return { taskId, ...request, opened };
}

test("a request is told once to all who may answer it, and to nobody when it is decided; an undo brings it back", async () => {
  const { id, questionHash, opened } = await asked();
  const waits = [["request.waiting", id]];
  expect(await everyone()).toEqual([waits, waits, waits, []]);
  await fixture.happened(opened, opened);
  await fixture.run(NOTICES);
  expect(await notified(ben)).toEqual(waits);

  await fixture.within((tx) =>
    recordDecision(tx, ben, id, { action: "decline", questionHash, holdMs: 60_000 }),
  );
  await fixture.run(NOTICES);
  expect(await everyone()).toEqual([[], [], [], []]);
  await fixture.within((tx) => undoAnswer(tx, ben, id));
  await fixture.run(NOTICES);
  // Ben did it himself.
  expect(await everyone()).toEqual([waits, [], waits, []]);
});

test("what is assigned is told to that one alone, and not to who assigns themselves", async () => {
  await readEverything();
  const { id } = await asked();
  const assign = async (by: Principal, to: Principal | null) => {
    const [member] = await fixture.sql("SELECT id FROM membership WHERE user_id = $1", [to?.userId]);
    await fixture.within((tx) => assignRequest(tx, by, id, { memberId: to && String(member?.id) }));
    await fixture.run(NOTICES);
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

test("where a second person is required, who asked for the task is not told, in person, by a key or as assignee", async () => {
  await readEverything();
  const { organizationId } = fixture;
  const keyId = crypto.randomUUID();
  await fixture.sql("UPDATE organization SET four_eyes = true WHERE id = $1", [organizationId]);
  await fixture.sql(
    `INSERT INTO api_key (organization_id, id, name, role, secret_hash, created_by)
     VALUES ($1, $2, 'Key', 'operator', decode('00', 'hex'), $3)`,
    [organizationId, keyId, ana.userId],
  );
  const byKey = await insert();
  await fixture.sql("UPDATE task SET requested_by = $1 WHERE id = $2", [
    JSON.stringify({ kind: "key", id: keyId, name: "Key" }),
    byKey,
  ]);
  const own = await insert({ requester: ana.userId });
  const given = await insert({ requester: ana.userId });
  const told: string[] = [];
  for (const taskId of [byKey, own, given]) {
    const assignee = taskId === given ? { assignee: ana.userId } : {};
    const { id } = await insertRequest(fixture.database, organizationId, taskId, assignee);
    await fixture.happened({ type: "request.opened", taskId, inputRequestId: id });
    told.push(id);
  }
  await fixture.run(NOTICES);
  await fixture.sql("UPDATE organization SET four_eyes = false WHERE id = $1", [organizationId]);
  const ids = async (person: Principal) => (await notified(person)).map(([, id]) => id);
  expect(await ids(ana)).toEqual([]);
  expect(new Set(await ids(ben))).toEqual(new Set(told.slice(0, 2)));
});

test("an end is told to who started it; a start that nobody is sure of to operators, until it is settled", async () => {
  await readEverything();
  const requester = ana.userId;
  const ends = ["completed", "failed", "lost", "expired", "cancelled"] as const;
  const ids = [];
  for (const state of ends) {
    const taskId = await insert({ state, requester });
    ids.push(taskId);
    await fixture.happened({ type: `task.${state}`, taskId });
  }
  const unknown = await insert({ state: "start_unknown", requester });
  await fixture.happened({ type: "task.start_unknown", taskId: unknown });
  await fixture.run(NOTICES);
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
  await fixture.sql("UPDATE task SET state = 'failed', finished_at = now(), watched = false WHERE id = $1", [
    unknown,
  ]);
  await fixture.happened({ type: "task.start_settled", taskId: unknown });
  await fixture.run(NOTICES);
  expect(await notified(ola)).toEqual([]);
});

test("a server in trouble is told to operators until it is well, a connection to its owner or to admins", async () => {
  await readEverything();
  const health = async (state: string) => {
    await fixture.sql("UPDATE server SET health_state = $1 WHERE id = $2", [state, server.id]);
    await fixture.happened({ type: "server.health_changed", data: { serverId: server.id, to: state } });
    await fixture.run(NOTICES);
  };
  await health("unreachable");
  expect((await everyone()).map((each) => each.length)).toEqual([1, 0, 1, 0]);
  await health("ok");
  expect((await everyone()).map((each) => each.length)).toEqual([0, 0, 0, 0]);
  await fixture.sql(
    `INSERT INTO oauth_grant (organization_id, connection_id, state, sealed_tokens, issuer, metadata, resource, client_id,
      renews, connected_by, needed_scope) VALUES ($1, $2, 'needs_scope', 'x', 'i', '{}', 'r', 'c', false, $3, 'pay')`,
    [fixture.organizationId, server.connectionId, ana.userId],
  );
  await fixture.happened({ type: "connection.needs_scope", data: { connectionId: server.connectionId } });
  await fixture.run(NOTICES);
  expect(await everyone()).toEqual([[], [], [["connection.needs_scope", undefined]], []]);
});

test("a kind that one does not want is not told, and what one may not see any more is not shown", async () => {
  await readEverything();
  await fixture.within((tx) =>
    setNoticeSettings(tx, ben, { kinds: { request: { app: false, email: false } } }),
  );
  const cleo = await fixture.member("approver", "Cleo");
  const { id } = await asked();
  expect([await notified(ben), await notified(cleo)]).toEqual([[], [["request.waiting", id]]]);
  expect(await notified({ ...cleo, role: "viewer" })).toEqual([]);
  const [notice] = (await fixture.within((tx) => listNotices(tx, cleo, { limit: 1 }))).items;
  const foreign = fixture.within((tx) => markRead(tx, ola, notice!.id));
  await expect(foreign).rejects.toMatchObject({ code: "not_found" });
  expect(await fixture.within((tx) => countUnread(tx, cleo))).toBe(1);
  await fixture.sql("DELETE FROM membership WHERE user_id = $1", [cleo.userId]);
  expect(await fixture.sql("SELECT FROM notice WHERE user_id = $1", [cleo.userId])).toEqual([]);
});

test("two engines at once make no notice twice", async () => {
  await readEverything();
  const taskId = await insert();
  const opened = [];
  for (let at = 0; at < 20; at++) {
    const { id } = await insertRequest(fixture.database, fixture.organizationId, taskId, {
      message: `${at}?`,
    });
    opened.push({ type: "request.opened", taskId, inputRequestId: id } as const);
  }
  await fixture.happened(...opened, ...opened);
  await Promise.all([NOTICES, NOTICES, NOTICES].map((job) => fixture.run(job)));
  expect(await notified(ola)).toHaveLength(20);
});

test("that an account was given to another person is told to the owners, and to nobody else", async () => {
  const owen = await fixture.member("owner", "Owen");
  const about = {
    type: "account.replaced",
    data: { userId: vic.userId, name: "Vic", by: "operator" },
  } as const;
  await fixture.happened(about);
  await fixture.run(NOTICES);
  const told = async (person: Principal) => (await notified(person)).map(([cause]) => cause);
  expect(await told(owen)).toEqual(["account.replaced"]);
  for (const person of [ola, ben, ana, vic]) expect(await told(person)).not.toContain("account.replaced");
  await fixture.happened(about);
  await fixture.run(NOTICES);
  expect(await told(owen)).toEqual(["account.replaced"]);
});

test("whoever stands in for somebody is told once of what is theirs, also of what waited before, until they are back", async () => {
  await readEverything();
  const { organizationId } = fixture;
  const dee = await fixture.member("approver", "Dee");
  const cai = await fixture.member("approver", "Cai");
  const both = async () => [await notified(dee), await notified(cai)];
  const [member] = await fixture.sql("SELECT id FROM membership WHERE user_id = $1", [dee.userId]);
  const assigned = async () => {
    const { id } = await asked();
    await fixture.within((tx) => assignRequest(tx, ola, id, { memberId: String(member?.id) }));
    await fixture.run(NOTICES);
    return id;
  };
  const first = await assigned();
  expect(await both()).toEqual([[["request.assigned", first]], []]);

  const hours = (count: number) => new Date(Date.now() + count * 3600_000).toISOString();
  const away = { from: hours(-1), until: hours(1), delegateUserId: cai.userId, scope: null, reason: null };
  await fixture.within((tx) => setAway(tx, dee, { userId: dee.userId }, away));
  for (let round = 0; round < 2; round++) await fixture.run(ABSENCES);
  // Dee is told all the same.
  expect(await both()).toEqual([[["request.assigned", first]], [["request.waiting", first]]]);
  const second = await assigned();
  const ids = [second, first];
  const theirs = ids.map((id) => ["request.assigned", id]);
  expect(await both()).toEqual([theirs, ids.map((id) => ["request.waiting", id])]);

  await fixture.within((tx) => endAway(tx, dee, { userId: dee.userId }));
  await fixture.run(ABSENCES);
  expect(await both()).toEqual([theirs, []]);
  expect(await fixture.within((tx) => tx.away.count({ where: { organizationId } }))).toBe(0);
});

test("many lines that take too long together are told few at a time", async () => {
  await fixture.sql(`CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(DISTINCT subject) FROM made) > 1 THEN
      RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014';
    END IF; RETURN NULL; END $$`);
  await fixture.sql(`CREATE TRIGGER refuse_many AFTER INSERT ON notice REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`);
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    const taskId = await insert();
    const { id } = await insertRequest(fixture.database, fixture.organizationId, taskId);
    await fixture.happened({ type: "request.opened", taskId, inputRequestId: id });
    ids.push(id);
  }
  await fixture.run(NOTICES);
  await fixture.sql("DROP TRIGGER refuse_many ON notice");
  const told = await fixture.sql("SELECT DISTINCT subject FROM notice WHERE subject = ANY ($1)", [ids]);
  expect(told.map(({ subject }) => subject).sort()).toEqual(ids.sort());
});
