/** Handing a request over: who may give what to whom, with a note, once. */
import { beforeAll, expect, test } from "vitest";
import type { Tx } from "@/lib/base/db/db.ts";
import { NO_SUBJECTS } from "@/lib/outbound/notices/audience.ts";
import { syncNotices } from "@/lib/outbound/notices/notice-writes.ts";
import { inputRequestDetailSchema } from "@/lib/requests/request-schema.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { type TestWeb, webForFile } from "@/test/web.ts";

type Person = Awaited<ReturnType<TestWeb["member"]>>;

const web = webForFile();
let acme: string;
let [ben, cleo, dan, ola, vera]: Person[] = [];
let server: { id: string; connectionId: string };

beforeAll(async () => {
  acme = await web.organization("acme");
  ben = await web.member(acme, "Ben", "approver");
  cleo = await web.member(acme, "Cleo", "approver");
  dan = await web.member(acme, "Dan", "approver");
  ola = await web.member(acme, "Ola", "operator");
  vera = await web.member(acme, "Vera", "viewer");
  server = await insertServer(web.db, acme);
});

const ask = async (task: object = {}, request: object = {}) =>
  (await insertRequest(web.db, acme, await insertTask(web.db, acme, server, task), request)).id;
const post = (id: string, action: string, who: Person, body?: object) =>
  web.call("POST", `/api/v1/input-requests/${id}/${action}`, {
    cookie: who.cookie,
    ...(body && { body }),
  });
const give = (id: string, from: Person, to: Person, note?: string) =>
  post(id, "hand-over", from, { memberId: to.memberId, ...(note !== undefined && { note }) });
const read = async (id: string, who: Person) =>
  inputRequestDetailSchema.parse(
    (await web.call("GET", `/api/v1/input-requests/${id}`, { cookie: who.cookie })).body,
  );
const assignments = (id: string) =>
  web.db.withOrganization(acme, (tx) =>
    tx.event.findMany({
      where: { organizationId: acme, inputRequestId: id, type: "request.assigned" },
      orderBy: { seq: "asc" },
      select: { actor: true, data: true },
    }),
  );

const takeOver = (id: string, who: Person, at: string | undefined) =>
  post(id, "claim", who, { takeOver: at });

test("a claim takes no body, whatever type an empty one is said to have", async () => {
  const id = await ask();
  const empty = { "content-type": "application/json", "content-length": "0" };
  const path = `/api/v1/input-requests/${id}/claim`;
  expect((await web.call("POST", path, { cookie: cleo!.cookie, headers: empty })).status).toBe(200);
});

test("an operator takes a claim over in one step, which the history tells as its end and a new one", async () => {
  const id = await ask();
  const { at } = (await post(id, "claim", cleo!)).body.claimedBy;
  const taken = await takeOver(id, ola!, at);
  expect([taken.status, taken.body.claimedBy.name]).toEqual([200, "Ola"]);
  const told = await web.db.withOrganization(acme, (tx) =>
    tx.event.findMany({
      where: { organizationId: acme, inputRequestId: id, type: { startsWith: "request." } },
      orderBy: { seq: "asc" },
      select: { type: true, actorId: true },
    }),
  );
  expect(told.filter(({ type }) => type !== "request.opened")).toEqual([
    { type: "request.claimed", actorId: cleo!.userId },
    { type: "request.released", actorId: ola!.userId },
    { type: "request.claimed", actorId: ola!.userId },
  ]);
});

test.each([
  ["an approver", () => ben!, 409, "claimed_by_other"],
  ["a viewer", () => vera!, 403, "forbidden"],
])("%s takes no claim over", async (_who, who, status, code) => {
  const id = await ask();
  const { at } = (await post(id, "claim", cleo!)).body.claimedBy;
  const refused = await takeOver(id, who(), at);
  expect([refused.status, refused.body.code]).toEqual([status, code]);
  expect((await read(id, cleo!)).claimedBy?.name).toBe("Cleo");
});

test("only the claim that was seen is taken over, and without asking to none is", async () => {
  const id = await ask();
  const { at } = (await post(id, "claim", cleo!)).body.claimedBy;
  const others = [undefined, new Date(Date.parse(at) - 1).toISOString()];
  for (const seen of others) {
    const refused = await takeOver(id, ola!, seen);
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: "claimed_by_other", by: { name: "Cleo" }, at },
    ]);
  }
});

test("of two operators who take one claim over at once, the second finds the first", async () => {
  const oscar = await web.member(acme, "Oscar", "operator");
  for (let round = 0; round < 5; round++) {
    const id = await ask();
    const { at } = (await post(id, "claim", cleo!)).body.claimedBy;
    const both = await Promise.all([takeOver(id, ola!, at), takeOver(id, oscar, at)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const won = both.find(({ status }) => status === 200);
    expect((await read(id, cleo!)).claimedBy?.name).toBe(won?.body.claimedBy.name);
  }
});

const lines = (id: string) =>
  web.db.withOrganization(acme, async (tx) => {
    const events = await tx.event.findMany({
      where: { organizationId: acme, inputRequestId: id },
      orderBy: { seq: "asc" },
      select: { type: true },
    });
    return events.map(({ type }) => type);
  });

test("an approver gives what is nobody's, with a note that stays with it and in the history", async () => {
  const id = await ask();
  expect((await post(id, "claim", ben!)).status).toBe(200);
  expect((await give(id, ben!, cleo!, "  You know <b>them</b>.  ")).status).toBe(204);
  const given = await read(id, cleo!);
  expect(given).toMatchObject({
    assignedTo: { name: "Cleo" },
    claimedBy: null,
    assignment: { by: { name: "Ben", kind: "member" }, note: "You know <b>them</b>." },
  });
  expect(await assignments(id)).toMatchObject([
    { actor: { name: "Ben" }, data: { userId: cleo!.userId, name: "Cleo", note: "You know <b>them</b>." } },
  ]);
  await web.db.withOrganization(acme, (tx) => syncNotices(tx, { ...NO_SUBJECTS, requests: [id] }, true));
  const notices = await web.call("GET", "/api/v1/notices?limit=1", { cookie: cleo!.cookie });
  expect(notices.body.items).toMatchObject([
    { cause: "request.assigned", assignment: { by: "Ben", note: "You know <b>them</b>." } },
  ]);

  // It is Cleo's: Ben gives it to nobody else, Cleo does, and the note is the new one's.
  const late = await give(id, ben!, dan!);
  expect([late.status, late.body.code]).toEqual([409, "assigned_to_other"]);
  expect((await give(id, cleo!, dan!)).status).toBe(204);
  expect((await read(id, dan!)).assignment).toMatchObject({ by: { name: "Cleo" }, note: null });

  // An operator takes it from anyone, with a note too, and gives it back to all.
  const taken = await post(id, "assign", ola!, { memberId: cleo!.memberId, note: "Dan is away" });
  expect(taken.body.assignment).toMatchObject({ by: { name: "Ola" }, note: "Dan is away" });
  const freed = await post(id, "assign", ola!, { memberId: null, note: "to nobody" });
  expect(freed.body).toMatchObject({ assignedTo: null, assignment: null });
});

test("what an API key gives is said to come from one", async () => {
  const id = await ask();
  const body = { memberId: cleo!.memberId };
  const key = await web.key(acme, "operator");
  expect((await web.call("POST", `/api/v1/input-requests/${id}/assign`, { key, body })).status).toBe(200);
  await web.db.withOrganization(acme, (tx) => syncNotices(tx, { ...NO_SUBJECTS, requests: [id] }, true));
  const notices = await web.call("GET", "/api/v1/notices?limit=1", { cookie: cleo!.cookie });
  expect(notices.body.items).toMatchObject([{ assignment: { by: "The API key operator" } }]);
});

test("what an operator gives away is the other's to decide at once, whoever worked on it", async () => {
  for (const claimant of [ola!, ben!]) {
    const id = await ask();
    expect((await post(id, "claim", claimant)).status).toBe(200);
    expect((await post(id, "assign", ola!, { memberId: cleo!.memberId })).status).toBe(200);
    const given = await read(id, cleo!);
    expect(given.claimedBy).toBeNull();
    expect(await lines(id)).toEqual(["request.claimed", "request.released", "request.assigned"]);
    const { status } = await post(id, "answer", cleo!, {
      action: "decline",
      questionHash: given.questionHash,
    });
    expect(status).toBe(202);
  }
  // Who works on it already goes on.
  const id = await ask();
  await post(id, "claim", cleo!);
  await post(id, "assign", ola!, { memberId: cleo!.memberId });
  expect((await read(id, cleo!)).claimedBy).toMatchObject({ name: "Cleo" });
});

test("nobody gives what another works on, what is over, or to who may not decide", async () => {
  const id = await ask();
  await post(id, "claim", cleo!);
  const claimed = await give(id, ben!, dan!);
  expect([claimed.status, claimed.body.code]).toEqual([409, "claimed_by_other"]);
  await post(id, "release", cleo!);
  const refused = [
    await give(id, ben!, vera!),
    await give(id, ben!, ben!),
    await give(id, ben!, cleo!, "x".repeat(501)),
    await post(id, "hand-over", ben!, { memberId: null }),
  ];
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    refused.map(() => [422, "invalid_input"]),
  );
  expect((await give(id, vera!, cleo!)).status).toBe(403);
  expect((await post(id, "assign", ben!, { memberId: cleo!.memberId })).status).toBe(403);
  const { body } = await web.call("GET", `/api/v1/input-requests/${id}`, { cookie: ben!.cookie });
  await post(id, "answer", cleo!, { action: "decline", questionHash: body.questionHash });
  expect((await give(id, ben!, dan!)).body.code).toBe("already_answered");
  expect(await assignments(id)).toEqual([]);
});

/** Lifts the rule also from what was asked under it. */
async function liftRule(tx: Tx) {
  await tx.organization.update({ where: { id: acme }, data: { fourEyes: false } });
  await tx.organization.update({ where: { id: acme }, data: { fourEyesUntil: null } });
}

test("under the rule of a second person it does not go to who asked for the task", async () => {
  await web.db.withOrganization(acme, (tx) =>
    tx.organization.update({ where: { id: acme }, data: { fourEyes: true } }),
  );
  const id = await ask({ requester: ola!.userId });
  const refused = await give(id, ben!, ola!);
  await web.db.withOrganization(acme, (tx) => liftRule(tx));
  expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([422, "memberId"]);
  expect((await give(id, ben!, ola!)).status).toBe(204);
});

test("a private task is shown to nobody new, but goes back to its requester", async () => {
  const id = await ask({ visibility: "private", requester: ola!.userId }, { assignee: ben!.userId });
  expect((await give(id, dan!, cleo!)).status).toBe(404);
  expect((await give(id, ben!, cleo!)).body.code).toBe("forbidden");
  expect((await give(id, ben!, ola!)).status).toBe(204);
  const after = await web.call("GET", `/api/v1/input-requests/${id}`, { cookie: ben!.cookie });
  expect(after.status).toBe(404);
});

test("an assignment by an earlier version, which sets the assignee alone, has no note of somebody else's", async () => {
  const id = await ask();
  await give(id, ben!, cleo!, "For Cleo alone");
  await web.db.withOrganization(acme, (tx) =>
    tx.inputRequest.updateMany({ where: { id }, data: { assigneeUserId: dan!.userId } }),
  );
  expect(await read(id, dan!)).toMatchObject({ assignedTo: { name: "Dan" }, assignment: null });
  await web.db.withOrganization(acme, (tx) => syncNotices(tx, { ...NO_SUBJECTS, requests: [id] }, true));
  const notices = await web.call("GET", "/api/v1/notices?limit=1", { cookie: dan!.cookie });
  expect(notices.body.items).toMatchObject([{ cause: "request.assigned", assignment: null }]);
});

test("assigning keeps the same rules: whoever has it now, it goes only to who could accept it", async () => {
  const oto = await web.member(acme, "Oto", "operator");
  const assign = (id: string, from: Person, to: Person) =>
    post(id, "assign", from, { memberId: to.memberId });
  const hidden = await ask({ visibility: "private", requester: ola!.userId }, { assignee: oto.userId });
  expect((await assign(hidden, oto, cleo!)).body.code).toBe("forbidden");
  expect((await web.call("GET", `/api/v1/input-requests/${hidden}`, { cookie: cleo!.cookie })).status).toBe(
    404,
  );
  expect((await assign(hidden, oto, oto)).status).toBe(200);
  expect((await assign(hidden, ola!, cleo!)).status).toBe(200);

  await web.db.withOrganization(acme, (tx) =>
    tx.connection.updateMany({ where: { id: server.connectionId }, data: { authorizedBy: dan!.userId } }),
  );
  const site = await ask({}, { url: "https://bank.test.example/confirm" });
  const foreign = await assign(site, ola!, cleo!);
  expect([foreign.status, foreign.body.errors?.[0]?.field]).toEqual([422, "memberId"]);
  expect((await assign(site, ola!, dan!)).status).toBe(200);
  const claimed = await post(site, "claim", cleo!);
  expect([claimed.status, claimed.body.code]).toEqual([403, "forbidden"]);
  expect((await post(site, "claim", dan!)).status).toBe(200);

  const wish = await ask({ requester: dan!.userId });
  await web.db.withOrganization(acme, (tx) =>
    tx.organization.update({ where: { id: acme }, data: { fourEyes: true } }),
  );
  const own = await assign(wish, ola!, dan!);
  const mine = await assign(wish, ola!, ola!);
  await web.db.withOrganization(acme, (tx) => liftRule(tx));
  expect([own.status, mine.status]).toEqual([422, 200]);
});

test("people to give a request to are those whom it can be given to", async () => {
  await web.db.withOrganization(acme, (tx) =>
    tx.connection.updateMany({ where: { id: server.connectionId }, data: { authorizedBy: dan!.userId } }),
  );
  const requests = {
    plain: [{}, {}],
    private: [{ visibility: "private", requester: ola!.userId }, { assignee: cleo!.userId }],
    site: [{}, { url: "https://bank.test.example/confirm" }],
    own: [{ requester: ben!.userId }, {}],
  };
  const people = [ben!, cleo!, dan!, ola!];
  await web.db.withOrganization(acme, (tx) =>
    tx.organization.update({ where: { id: acme }, data: { fourEyes: true } }),
  );
  for (const [name, [task, request]] of Object.entries(requests)) {
    const from = name === "private" ? cleo! : ola!;
    const id = await ask(task, request);
    const found = await web.call("GET", `/api/v1/people?inputRequestId=${id}`, { cookie: from.cookie });
    const listed = found.body.items.map(({ id }: { id: string }) => id);
    for (const to of people) {
      const given = await give(await ask(task, request), from, to);
      // What is one's own already is no hand-over.
      if (to === from) continue;
      expect([name, to === ben ? "Ben" : to.userId, listed.includes(to.memberId)]).toEqual([
        name,
        to === ben ? "Ben" : to.userId,
        given.status === 204,
      ]);
    }
  }
  const hidden = await ask({ visibility: "private", requester: ola!.userId });
  const none = await web.call("GET", `/api/v1/people?inputRequestId=${hidden}`, { cookie: ben!.cookie });
  await web.db.withOrganization(acme, (tx) => liftRule(tx));
  expect(none.body.items).toEqual([]);
});

test("another organization's person or request is one that never was", async () => {
  const globex = await web.organization("globex");
  const gus = await web.member(globex, "Gus", "owner");
  const id = await ask();
  expect((await give(id, ben!, gus)).status).toBe(404);
  expect((await give(id, gus, gus)).status).toBe(404);
  expect((await read(id, ben!)).assignedTo).toBeNull();
});

test("of two who hand over at once one does, and one line of history says so", async () => {
  for (let round = 0; round < 5; round++) {
    const id = await ask();
    const replies = await Promise.all([give(id, ben!, cleo!, "one"), give(id, ben!, dan!, "two")]);
    const lost = replies.filter(({ status }) => status !== 204);
    expect(lost.map(({ status, body }) => [status, body.code])).toEqual([[409, "assigned_to_other"]]);
    expect(await assignments(id)).toHaveLength(1);
    const [row] = await web.db.withOrganization(
      acme,
      (tx) =>
        tx.$queryRaw<{ n: number }[]>`SELECT count(*)::integer AS n FROM input_request
        WHERE id = ${id}::uuid AND assignee_user_id IN (${cleo!.userId}::uuid, ${dan!.userId}::uuid)`,
    );
    expect(row?.n).toBe(1);
  }
});
