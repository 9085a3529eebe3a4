/** Groups of an organization: who may vote is who is in them now. */
import { beforeEach, describe, expect, test } from "vitest";
import { createDatabase } from "@/lib/base/db/db.ts";
import { uuidv7 } from "@/lib/base/ids.ts";
import { NOTICES } from "@/lib/engine/jobs/notice-jobs.ts";
import { fireTimer } from "@/lib/lifecycle/request-timers/fire-timers.ts";
import { wordsOf } from "@/lib/requests/receipts/words.ts";
import { followGroups } from "@/lib/requests/voting/release-without-vote.ts";
import { callerOf, type DirectoryFixture, GROUP } from "@/test/directory.ts";
import { type Voter, type VotingOrganization, votingOrganization } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: VotingOrganization;
let made = 0;
let ada: Voter;
let adam: Voter;
let ben: Voter;
let cleo: Voter;
let dora: Voter;

beforeEach(async () => {
  acme = await votingOrganization(web, `acme-${++made}`);
  ada = await acme.person("Ada", "owner");
  adam = await acme.person("Adam", "owner");
  ben = await acme.person("Ben", "approver");
  cleo = await acme.person("Cleo", "approver");
  dora = await acme.person("Dora", "approver");
});

type Who = { cookie: string } | { key: string };
const list = async (who: Who) => (await web.call("GET", "/api/v1/groups", who)).body.items;
const make = (who: Who, name: string, members: Voter[] = []) =>
  web.call("POST", "/api/v1/groups", { ...who, body: { name, members: members.map((one) => one.memberId) } });
const change = (who: Who, id: string, body: object) =>
  web.call("PATCH", `/api/v1/groups/${id}`, { ...who, body });
const add = (who: Who, id: string, ...people: Pick<Voter, "memberId">[]) =>
  change(who, id, { add: people.map((one) => one.memberId) });
const remove = (who: Who, id: string, ...people: Voter[]) =>
  change(who, id, { remove: people.map((one) => one.memberId) });
const drop = (who: Who, id: string) => web.call("DELETE", `/api/v1/groups/${id}`, who);
const ready = async (name: string, members: Voter[] = []): Promise<string> => {
  const reply = await make(ada, name, members);
  expect(reply.status).toBe(201);
  return reply.body.id;
};
const stage = (more: object = {}) => ({ name: "Finance", approvers: { groups: ["Finance"] }, ...more });
const policy = (...stages: object[]) => ({
  rules: [{ name: "All", stages: stages.length > 0 ? stages : [stage()] }],
});
const save = async (body: object) => {
  const { version } = (await web.call("GET", "/api/v1/policy", ada)).body;
  return web.call("PUT", "/api/v1/policy", { ...ada, body, headers: { "if-match": String(version) } });
};
const asked = async (more: Parameters<VotingOrganization["task"]>[0] = {}) => acme.ask(await acme.task(more));
const codeOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const waiting = async (who: Who) =>
  (await web.call("GET", "/api/v1/input-requests?waiting=me", who)).body.items.map(
    ({ id }: { id: string }) => id,
  );
const lines = async (type: string) =>
  await acme.sql("SELECT data, actor FROM event WHERE organization_id = $1 AND type = $2 ORDER BY seq", [
    acme.id,
    type,
  ]);
const tellEngines = async () => {
  const engine = createDatabase(web.database.engineUrl, { connections: 1 });
  await NOTICES.run({ database: engine, log: () => {} } as never, acme.id);
  await engine.close();
};

describe("a group", () => {
  test("is made, changed by what changes, and deleted, by admins; the history names who came and went", async () => {
    const reply = await make(ada, " Finance ", [ben, cleo]);
    expect([reply.status, reply.body]).toMatchObject([
      201,
      { name: "Finance", origin: "organization", size: 2, usedIn: [], changedBy: { name: "Ada" } },
    ]);
    expect(reply.body.members).toMatchObject([
      { id: ben.memberId, userId: ben.userId, name: "Ben", role: "approver" },
      { name: "Cleo" },
    ]);
    const { id } = reply.body;
    // Two admins at once, neither of whom undoes what the other does.
    await Promise.all([add(ada, id, dora), remove(adam, id, ben)]);
    const renamed = await change(adam, id, { name: "Money" });
    expect(renamed.body.members.map(({ name }: { name: string }) => name)).toEqual(["Cleo", "Dora"]);
    // Nothing changes, and no line says so.
    expect((await change(ada, id, { add: [ben.memberId], remove: [ben.memberId] })).status).toBe(200);
    expect((await add(ada, id, dora)).status).toBe(200);
    expect((await remove(ada, id, ben)).status).toBe(200);
    expect(await list(ada)).toMatchObject([{ id, name: "Money", changedBy: { name: "Adam" } }]);
    expect([(await drop(ada, id)).body, await list(ada)]).toEqual([{ proposalId: null }, []]);
    expect((await drop(ada, id)).status).toBe(404);
    expect((await lines("group.created")).map(({ data }) => data)).toMatchObject([
      { name: "Finance", added: [{ name: "Ben" }, { name: "Cleo" }], removed: [] },
    ]);
    const changes = (await lines("group.changed")).map(({ data }) => data);
    expect(changes).toHaveLength(3);
    expect(changes.slice(0, 2)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ added: [{ id: dora.memberId, name: "Dora" }], removed: [] }),
        expect.objectContaining({ added: [], removed: [{ id: ben.memberId, name: "Ben" }] }),
      ]),
    );
    expect(changes[2]).toMatchObject({ was: "Finance", name: "Money", added: [], removed: [] });
    expect((await lines("group.deleted"))[0].data).toMatchObject({
      name: "Money",
      removed: [{ name: "Cleo" }, { name: "Dora" }],
    });
  });

  test("is refused with a name that there is, with strangers, and to who may not", async () => {
    const id = await ready("Finance");
    await acme.sql(
      "INSERT INTO directory_group (organization_id, id, display_name) VALUES ($1, $2, 'Board')",
      [acme.id, uuidv7()],
    );
    const elsewhere = await votingOrganization(web, `globex-${made}`);
    const [eve, greta] = [
      await elsewhere.person("Eve", "approver"),
      await elsewhere.person("Greta", "owner"),
    ];
    for (const [reply, status, field] of [
      [await make(ada, "finance"), 422, "name"],
      [await make(ada, "BOARD"), 422, "name"],
      [await make(ada, " "), 422, "name"],
      [await make(ada, "Others", [ben, eve]), 422, "members.1"],
      [await add(ada, id, eve), 422, "add.0"],
      [await change(ada, id, {}), 422, ""],
      [await remove(ada, id, eve), 422, "remove.0"],
    ] as const)
      expect([reply.status, reply.body.errors[0].field]).toEqual([status, field]);
    for (const who of [ben, greta]) {
      const status = who === ben ? 403 : 404;
      expect((await add(who, id, ben)).status).toBe(status);
      expect((await drop(who, id)).status).toBe(status);
    }
    expect((await web.call("GET", "/api/v1/groups", ben)).status).toBe(403);
    expect(await list(greta)).toEqual([]);
    // A key does it whose limits name the permission.
    const keys = await web.call("POST", "/api/v1/api-keys", {
      ...ada,
      body: { name: "k", role: "admin", permissions: ["settings:manage"] },
    });
    expect((await add({ key: keys.body.secret }, id, ben)).status).toBe(200);
    expect((await add({ key: await acme.keyOf(ada, "admin") }, id, ben)).status).toBe(403);
  });

  test("of one name is made once by two at the same time", async () => {
    const both = await Promise.all([make(ada, "Finance", [ben]), make(adam, "finance", [cleo])]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect(
      await acme.sql("SELECT id FROM organization_group WHERE organization_id = $1", [acme.id]),
    ).toHaveLength(1);
  });

  test("that the policy names stays, and says where; one of two at the same time is refused", async () => {
    const id = await ready("Finance", [ben, cleo]);
    expect(
      (
        await save(
          policy(stage(), {
            ...stage({ name: "Again" }),
            escalate: { after: "2d", to: { groups: ["Finance"] } },
          }),
        )
      ).status,
    ).toBe(200);
    expect((await list(ada))[0].usedIn).toEqual([
      { rule: "All", stage: "Finance", how: "approvers", as: "Finance" },
      { rule: "All", stage: "Again", how: "approvers", as: "Finance" },
      { rule: "All", stage: "Again", how: "escalation", as: "Finance" },
    ]);
    expect(codeOf(await drop(ada, id))).toEqual([409, "group_in_use"]);
    expect((await save({ rules: [] })).status).toBe(200);
    const [dropped, saved] = await Promise.all([drop(ada, id), save(policy())]);
    expect([
      [200, 422],
      [409, 200],
    ]).toContainEqual([dropped.status, saved.status]);
    expect(await list(ada)).toHaveLength(dropped.status === 200 ? 0 : 1);
  });
});

describe("a policy", () => {
  test("names its own group first, then one of the organization; others are refused, and too few", async () => {
    await ready("Finance", [ben]);
    await ready("Empty");
    const refused = await save(
      policy(
        stage({ need: 2 }),
        stage({ name: "B", approvers: { groups: ["finance"] } }),
        stage({ name: "C", escalate: { after: "1d", to: { groups: ["Empty"] } } }),
      ),
    );
    expect(refused.body.errors.map(({ field }: { field: string }) => field)).toEqual([
      "rules.0.stages.0.need",
      "rules.0.stages.1.approvers.groups.0",
      "rules.0.stages.1.need",
      "rules.0.stages.1.rejections",
      "rules.0.stages.2.escalate.to",
    ]);
    expect((await save({ groups: { Finance: [cleo.email] }, ...policy() })).status).toBe(200);
    const request = await asked();
    expect(codeOf(await acme.decide(ben, request))).toEqual([403, "not_an_approver"]);
    expect((await acme.decide(cleo, request)).body.state).toBe("answered");
    expect((await list(ada)).flatMap(({ usedIn }: { usedIn: object[] }) => usedIn)).toEqual([]);
  });

  test("means the same group once that is renamed, and another one only when it is saved", async () => {
    const id = await ready("Finance", [ben]);
    await save(policy());
    expect((await change(ada, id, { name: "Money" })).status).toBe(200);
    const other = await ready("Finance", [cleo]);
    const request = await asked();
    expect((await acme.read(ben, request)).approval).toMatchObject({
      canVote: true,
      stages: [{ groups: ["Finance"] }],
    });
    expect((await acme.read(cleo, request)).approval.canVote).toBe(false);
    expect(codeOf(await drop(ada, id))).toEqual([409, "group_in_use"]);
    const version = (await web.call("GET", "/api/v1/policy", ada)).body.version;
    expect((await save(policy())).body.version).toBe(version + 1);
    expect((await lines("policy.changed")).at(-1)!.data).toMatchObject({ others: ["Finance"] });
    expect((await acme.read(cleo, await asked())).approval.canVote).toBe(true);
    // Of before: the policy names its group no more, and it does.
    expect(codeOf(await drop(ada, id))).toEqual([409, "group_in_use"]);
    expect((await acme.decide(ben, request)).body.state).toBe("answered");
    // Its answer may be undone, or asked for again where it could not be delivered.
    expect(codeOf(await drop(ada, id))).toEqual([409, "group_in_use"]);
    await acme.sql("UPDATE input_request SET state = 'undeliverable', ended_at = now() WHERE id = $1", [
      request.id,
    ]);
    expect(codeOf(await drop(ada, id))).toEqual([409, "group_in_use"]);
    await acme.sql(
      "UPDATE task SET watched = false, state = 'completed', finished_at = now() WHERE id = (SELECT task_id FROM input_request WHERE id = $1)",
      [request.id],
    );
    expect((await drop(ada, id)).status).toBe(200);
    expect(codeOf(await drop(ada, other))).toEqual([409, "group_in_use"]);
  });

  test("asks in conditions who the requester is, in groups of the organization too, and its tests say", async () => {
    await ready("Trusted", [ben]);
    await ready("Own", [cleo]);
    const body = {
      groups: { Own: [dora.email] },
      rules: [
        {
          name: "Trusted",
          when: '"Trusted" in requester.groups',
          stages: [stage({ approvers: { roles: ["owner"] } })],
        },
        {
          name: "Own",
          when: '"Own" in requester.groups',
          stages: [stage({ approvers: { roles: ["owner"] } })],
        },
      ],
      tests: [{ request: { requester: { groups: ["Trusted"] } }, expect: { rule: "Trusted" } }],
    };
    expect((await save(body)).status).toBe(200);
    const ruleOf = async (who: Voter) =>
      (await acme.read(ada, await asked({ requester: who.userId }))).approval?.rule ?? null;
    const uses = (await list(ada)).map(({ name, askedIn }: { name: string; askedIn: string[] }) => [
      name,
      askedIn,
    ]);
    expect(uses).toEqual([
      ["Own", []],
      ["Trusted", ["Trusted"]],
    ]);
    // A name of the policy's own means its own group.
    expect([await ruleOf(ben), await ruleOf(cleo), await ruleOf(dora)]).toEqual(["Trusted", null, "Own"]);
  });
});

describe("who is in a group", () => {
  test("votes from the moment on which they are added, and not once they are removed", async () => {
    const id = await ready("Finance", [ben]);
    await save(policy(stage({ need: 1 }), { name: "Owners", approvers: { roles: ["owner"] } }));
    const request = await asked();
    expect((await acme.read(ben, request)).approval).toMatchObject({ canVote: true, why: "approver" });
    expect([await waiting(ben), await waiting(cleo)]).toEqual([[request.id], []]);
    await add(ada, id, cleo);
    await remove(ada, id, ben);
    expect([await waiting(ben), await waiting(cleo)]).toEqual([[], [request.id]]);
    expect((await acme.read(ben, request)).approval).toMatchObject({
      canVote: false,
      why: "not_an_approver",
    });
    expect(codeOf(await acme.decide(ben, request))).toEqual([403, "not_an_approver"]);
    expect((await acme.decide({ key: await acme.keyOf(ada) }, request)).status).toBe(403);
    expect((await acme.decide(cleo, request)).status).toBe(202);
    expect((await acme.read(ada, request)).approval.stages).toMatchObject([
      { state: "done" },
      { state: "open" },
    ]);
  });

  test("keeps a vote that was cast before, as who loses a role does", async () => {
    const id = await ready("Finance", [ben, cleo]);
    await save(policy(stage({ need: 2 })));
    const request = await asked();
    expect((await acme.decide(ben, request)).status).toBe(202);
    await remove(ada, id, ben);
    await acme.sql("UPDATE membership SET role = 'viewer' WHERE user_id = $1", [ben.userId]);
    expect((await acme.read(cleo, request)).approval.stages[0]).toMatchObject({ missing: 1, tooFew: null });
    expect((await acme.decide(cleo, request)).body.state).toBe("answered");
    expect(await acme.answers(request)).toHaveLength(1);
  });

  test("counts for nobody once they left, or where they asked; the card says that too few are left", async () => {
    const id = await ready("Finance", [ben, cleo, dora]);
    await save(policy(stage({ need: 2 })));
    const request = await asked({ requester: ben.userId });
    const tooFew = async () => (await acme.read(ada, request)).approval.stages[0].tooFew;
    expect(codeOf(await acme.decide(ben, request))).toEqual([403, "four_eyes"]);
    expect(await tooFew()).toBeNull();
    expect((await web.call("DELETE", `/api/v1/members/${dora.memberId}`, ada)).status).toBe(204);
    expect(await tooFew()).toBe(1);
    expect((await list(ada))[0].size).toBe(2);
    await remove(ada, id, cleo);
    expect(await tooFew()).toBe(0);
    await add(ada, id, ada, adam);
    expect(await tooFew()).toBeNull();
  });

  test("is there again after a suspension", async () => {
    await ready("Finance", [ben, cleo]);
    await save(policy());
    const request = await asked();
    const suspend = (what: string) =>
      web.call("POST", `/api/v1/members/${ben.memberId}/${what}`, { ...ada, body: {} });
    expect((await suspend("suspend")).status).toBeLessThan(300);
    expect((await list(ada))[0].size).toBe(1);
    expect((await suspend("reinstate")).status).toBeLessThan(300);
    expect((await list(ada))[0].size).toBe(2);
    expect((await acme.decide({ cookie: await web.signIn(ben.userId) }, request)).body.state).toBe(
      "answered",
    );
  });

  test("is shown while suspended, and is removed before they are reinstated", async () => {
    const id = await ready("Finance", [ben, cleo]);
    const of = (what: string) =>
      web.call("POST", `/api/v1/members/${ben.memberId}/${what}`, { ...ada, body: {} });
    expect((await of("suspend")).status).toBeLessThan(300);
    expect((await list(ada))[0]).toMatchObject({
      size: 1,
      members: [
        { name: "Cleo", suspended: false },
        { id: ben.memberId, userId: ben.userId, name: "Ben", role: "approver", suspended: true },
      ],
    });
    const removed = await remove(ada, id, ben);
    expect([removed.status, removed.body.members]).toMatchObject([200, [{ name: "Cleo" }]]);
    expect((await lines("group.changed")).at(-1)!.data).toMatchObject({
      removed: [{ id: ben.memberId, name: "Ben" }],
    });
    expect((await of("reinstate")).status).toBeLessThan(300);
    expect((await list(ada))[0].size).toBe(1);
  });

  test("takes no place once they have left, and one while they are suspended", async () => {
    const id = await ready("Finance", [ben, dora]);
    expect((await web.call("DELETE", `/api/v1/members/${dora.memberId}`, ada)).status).toBe(204);
    await web.call("POST", `/api/v1/members/${ben.memberId}/suspend`, { ...ada, body: {} });
    // Members who need not sign in.
    const many: Pick<Voter, "memberId">[] = await acme.sql(
      `WITH people AS (INSERT INTO "user" (id, email, name)
          SELECT gen_random_uuid(), 'person' || n || '@many.example', 'Person' || n FROM generate_series(1, 199) n RETURNING id)
        INSERT INTO membership (organization_id, id, user_id, role)
          SELECT $1, gen_random_uuid(), id, 'viewer' FROM people RETURNING id AS "memberId"`,
      [acme.id],
    );
    expect((await add(ada, id, ...many.slice(1))).status).toBe(200);
    expect((await add(ada, id, many[0]!)).status).toBe(200);
    expect((await add(ada, id, adam)).status).toBe(422);
    expect((await remove(ada, id, dora)).status).toBe(200);
    expect((await remove(ada, id, ben)).status).toBe(200);
    expect((await add(ada, id, adam)).status).toBe(200);
    expect((await list(ada))[0]).toMatchObject({ size: 200 });
  });

  test("is told what waits, and no more once they are removed; what they had is free again", async () => {
    const id = await ready("Finance", [ben]);
    await save(policy());
    // The first look begins with what comes after it.
    await tellEngines();
    const request = await asked();
    await tellEngines();
    const told = async (who: Voter) =>
      (
        await acme.sql(
          "SELECT input_request_id AS id FROM notice WHERE user_id = $1 AND withdrawn_at IS NULL AND cause IN ('request.waiting', 'request.assigned')",
          [who.userId],
        )
      ).map(({ id }) => id);
    expect([await told(ben), await told(cleo)]).toEqual([[request.id], []]);
    const assigned = await web.call("POST", `/api/v1/input-requests/${request.id}/assign`, {
      ...ada,
      body: { memberId: ben.memberId },
    });
    expect(assigned.status).toBe(200);
    expect(
      (await web.call("POST", `/api/v1/input-requests/${request.id}/claim`, { ...ben, body: {} })).status,
    ).toBeLessThan(300);
    await add(ada, id, cleo);
    await remove(ada, id, ben);
    await tellEngines();
    expect([await told(ben), await told(cleo)]).toEqual([[], [request.id]]);
    expect(await acme.read(cleo, request)).toMatchObject({ assignedTo: null, claimedBy: null });
    expect((await acme.decide(cleo, request)).body.state).toBe("answered");
  });

  test("has nothing again that they had before an answer was held, which is undone", async () => {
    const id = await ready("Finance", [ben, cleo]);
    await save(policy());
    await tellEngines();
    const request = await asked();
    const assigned = await web.call("POST", `/api/v1/input-requests/${request.id}/assign`, {
      ...ada,
      body: { memberId: ben.memberId },
    });
    expect(assigned.status).toBe(200);
    expect((await acme.decide(cleo, request, { holdMs: 60_000 })).body.state).toBe("answered");
    await remove(ada, id, ben);
    await tellEngines();
    const undone = await web.call("POST", `/api/v1/input-requests/${request.id}/undo`, { ...ada, body: {} });
    expect(undone.status).toBeLessThan(300);
    await tellEngines();
    expect(await acme.read(cleo, request)).toMatchObject({ state: "open", assignedTo: null });
    expect(await waiting(cleo)).toEqual([request.id]);
  });

  test("leaves nothing that they had, also of more requests than are followed", async () => {
    const id = await ready("Finance", [ben, cleo]);
    await save(policy());
    const requests = [await asked(), await asked(), await asked()];
    const [, assigned, claimed] = requests;
    await web.call("POST", `/api/v1/input-requests/${assigned!.id}/assign`, {
      ...ada,
      body: { memberId: ben.memberId },
    });
    await web.call("POST", `/api/v1/input-requests/${claimed!.id}/claim`, { ...ben, body: {} });
    expect(await acme.read(cleo, assigned!)).toMatchObject({ assignedTo: { name: "Ben" } });
    expect(await acme.read(cleo, claimed!)).toMatchObject({ claimedBy: { name: "Ben" } });
    await remove(ada, id, ben);
    const followed = await web.db.withOrganization(acme.id, (tx) => followGroups(tx, [id], 1));
    expect(followed).toEqual([requests[0]!.id]);
    expect(await acme.read(cleo, assigned!)).toMatchObject({ assignedTo: null });
    expect(await acme.read(cleo, claimed!)).toMatchObject({ claimedBy: null });
  });

  test("is asked later where a stage escalates to the group, and stands in a receipt by its name", async () => {
    const id = await ready("Finance", [ben]);
    await save(
      policy({
        name: "Owners",
        approvers: { roles: ["owner"] },
        escalate: { after: "1h!", to: { groups: ["Finance"] } },
      }),
    );
    const request = await asked();
    await add(ada, id, cleo);
    expect(codeOf(await acme.decide(cleo, request))).toEqual([403, "not_an_approver"]);
    await acme.sql(
      "UPDATE request_timer SET due_at = now() - interval '1 second' WHERE input_request_id = $1",
      [request.id],
    );
    const [timer] = await acme.sql(
      `SELECT t.id, t.input_request_id AS "inputRequestId", r.task_id AS "taskId" FROM request_timer t
        JOIN input_request r ON r.id = t.input_request_id WHERE t.input_request_id = $1`,
      [request.id],
    );
    await web.db.withOrganization(acme.id, (tx) => fireTimer(tx, timer));
    expect((await acme.read(cleo, request)).approval.stages[0]).toMatchObject({
      groups: ["Finance"],
      escalated: [{ to: ["Finance"] }],
    });
    await remove(ada, id, ben);
    expect(codeOf(await acme.decide(ben, request))).toEqual([403, "not_an_approver"]);
    expect((await acme.decide(cleo, request)).body.state).toBe("answered");
    const receipt = await web.open("GET", `/api/v1/input-requests/${request.id}/receipt`, ada);
    const [, payload] = (await receipt.text()).split(".");
    const said = JSON.parse(Buffer.from(payload!, "base64url").toString());
    const { policy: its } = said;
    expect(its.stages).toMatchObject([{ name: "Owners", groups: [{ id, name: "Finance" }] }]);
    expect(wordsOf(said).join("\n")).toMatch(
      /By the rule “All” \(policy version \d+\) these had to agree: 1 of Owners \(the group Finance\)\./,
    );
  });

  test("votes for who is away of the group, and by a key of theirs", async () => {
    const id = await ready("Finance", [ben, ada]);
    await save(policy(stage({ need: 2 })));
    const request = await asked();
    const away = await web.call("PUT", "/api/v1/me/away", {
      ...ben,
      body: {
        from: new Date(Date.now() - 1000).toISOString(),
        until: new Date(Date.now() + 3600_000).toISOString(),
        delegateUserId: cleo.userId,
      },
    });
    expect(away.status).toBe(200);
    expect((await acme.read(cleo, request)).approval).toMatchObject({
      canVote: true,
      votesFor: { name: "Ben" },
      away: [{ name: "Ben" }],
    });
    await remove(adam, id, ben);
    expect(codeOf(await acme.decide(cleo, request))).toEqual([403, "not_an_approver"]);
    await add(adam, id, ben);
    expect((await acme.decide(cleo, request)).status).toBe(202);
    expect((await acme.decide({ key: await acme.keyOf(ada, "operator") }, request)).body.state).toBe(
      "answered",
    );
  });

  test("keeps the claim of who stands in for one of them, as long as they do", async () => {
    const id = await ready("Finance", [ben, ada]);
    await save(policy());
    await tellEngines();
    const request = await asked();
    const away = await web.call("PUT", "/api/v1/me/away", {
      ...ben,
      body: {
        from: new Date(Date.now() - 1000).toISOString(),
        until: new Date(Date.now() + 3600_000).toISOString(),
        delegateUserId: cleo.userId,
      },
    });
    expect(away.status).toBe(200);
    const claimed = await web.call("POST", `/api/v1/input-requests/${request.id}/claim`, {
      ...cleo,
      body: {},
    });
    expect(claimed.status).toBeLessThan(300);
    await add(adam, id, dora);
    await tellEngines();
    expect((await acme.read(dora, request)).claimedBy).toMatchObject({ name: "Cleo" });
    await remove(adam, id, ben);
    await tellEngines();
    expect((await acme.read(dora, request)).claimedBy).toBeNull();
  });

  test("has voted before they are removed, or is refused: never after", async () => {
    const id = await ready("Finance", [ben, cleo, dora]);
    await save(policy(stage({ need: 3 })));
    for (let round = 0; round < 6; round++) {
      const request = await asked();
      await add(ada, id, ben);
      const [voted, removed] = await Promise.all([acme.decide(ben, request), remove(ada, id, ben)]);
      expect(removed.status).toBe(200);
      const rows = await acme.sql("SELECT id FROM vote WHERE input_request_id = $1", [request.id]);
      expect([
        [202, undefined, 1],
        [403, "not_an_approver", 0],
      ]).toContainEqual([voted.status, voted.body.code, rows.length]);
      const order = await acme.sql(
        `SELECT type FROM event WHERE organization_id = $1 AND (input_request_id = $2 AND type = 'vote.recorded'
          OR type = 'group.changed' AND jsonb_array_length(data -> 'removed') > 0) ORDER BY seq DESC LIMIT 2`,
        [acme.id, request.id],
      );
      expect(order[0].type).toBe("group.changed");
    }
  });
});

describe("a group of the directory", () => {
  let scim: DirectoryFixture["scim"];
  let board: string;
  const put = (...people: Voter[]) =>
    scim("PUT", `/Groups/${board}`, {
      displayName: "Board",
      members: people.map(({ memberId }) => ({ value: memberId })),
    });

  beforeEach(async () => {
    const token = await web.call("POST", "/api/v1/directory/token", { ...ada, body: {} });
    scim = callerOf(web, token.body.secret);
    board = (await scim("POST", "/Groups", { schemas: [GROUP], displayName: "Board" })).body.id;
    await put(ben);
    expect((await save(policy(stage({ approvers: { groups: ["Board"] } })))).status).toBe(200);
  });

  test("votes as the directory says, is read-only here, and counts for nobody once it is gone", async () => {
    expect(await list(ada)).toMatchObject([
      { id: board, name: "Board", origin: "directory", size: 1, members: [{ name: "Ben" }], changedAt: null },
    ]);
    expect(codeOf(await add(ada, board, cleo))).toEqual([409, "defined_by_directory"]);
    expect(codeOf(await drop(ada, board))).toEqual([409, "defined_by_directory"]);
    const request = await asked();
    expect([await waiting(ben), await waiting(cleo)]).toEqual([[request.id], []]);
    await put(cleo);
    expect([await waiting(ben), await waiting(cleo)]).toEqual([[], [request.id]]);
    expect((await scim("DELETE", `/Groups/${board}`)).status).toBe(204);
    expect((await acme.read(cleo, request)).approval).toMatchObject({
      canVote: false,
      stages: [{ tooFew: 0 }],
    });
    expect(codeOf(await acme.decide(cleo, request))).toEqual([403, "not_an_approver"]);
    // A policy may keep its name, and needs somebody else.
    const body = policy(stage({ approvers: { groups: ["Board"], people: [dora.email] } }));
    expect((await save(body)).status).toBe(200);
  });

  test("tells whom requests wait for as its people change", async () => {
    await tellEngines();
    const request = await asked();
    await put(ben, cleo);
    await tellEngines();
    const told = await acme.sql("SELECT user_id FROM notice WHERE input_request_id = $1", [request.id]);
    expect(told.map((row) => row.user_id).sort()).toEqual([ben.userId, cleo.userId].sort());
  });

  test("ends what its people had by a role when it gives them another", async () => {
    await save(policy(stage({ approvers: { roles: ["approver"] } })));
    await tellEngines();
    const request = await asked();
    const { body } = await web.call("POST", `/api/v1/input-requests/${request.id}/assign`, {
      ...ada,
      body: { memberId: ben.memberId },
    });
    expect([body.assignedTo.name, await waiting(cleo)]).toEqual(["Ben", []]);
    const given = await web.call("PATCH", `/api/v1/directory/groups/${board}`, {
      ...ada,
      body: { role: "operator" },
    });
    expect(given.status).toBe(200);
    await tellEngines();
    expect((await acme.read(cleo, request)).assignedTo).toBeNull();
    expect([await waiting(ben), await waiting(cleo)]).toEqual([[], [request.id]]);
  });

  test("has a vote before the directory removes its person, or none", async () => {
    for (let round = 0; round < 5; round++) {
      await put(ben, cleo);
      const request = await asked();
      const [voted, removed] = await Promise.all([acme.decide(ben, request), put(cleo)]);
      expect(removed.status).toBe(200);
      expect([
        [202, undefined],
        [403, "not_an_approver"],
      ]).toContainEqual(codeOf(voted));
      const lines = await acme.sql(
        `SELECT type FROM event WHERE organization_id = $1 AND (input_request_id = $2 AND type = 'vote.recorded'
          OR type = 'directory.group_changed') ORDER BY seq DESC LIMIT 1`,
        [acme.id, request.id],
      );
      expect(lines[0].type).toBe("directory.group_changed");
    }
  });
});

describe("where changes need a second admin", () => {
  const decide = (who: Who, id: string, what = "approve") =>
    web.call("POST", `/api/v1/policy/proposals/${id}/${what}`, who);
  const proposals = async (who: Who) => (await web.call("GET", "/api/v1/policy/proposals", who)).body.items;
  let finance: string;
  beforeEach(async () => {
    finance = await ready("Finance", [ben]);
    const on = await web.call("PATCH", "/api/v1/organization", { ...ada, body: { twoPersonPolicy: true } });
    expect(on.body.twoPersonPolicy).toBe(true);
  });
  const names = async () =>
    (await list(ada)).map(({ name, members }: { name: string; members: { name: string }[] }) => [
      name,
      ...members.map((one) => one.name),
    ]);

  test("each change of a group is proposed, shown with who comes and goes, and counts once another one approves", async () => {
    const added = await add(ada, finance, cleo);
    expect([added.status, Object.keys(added.body)]).toEqual([202, ["proposalId"]]);
    expect(await names()).toEqual([["Finance", "Ben"]]);
    const change = {
      id: finance,
      what: "change",
      name: "Finance",
      was: null,
      added: [{ id: cleo.memberId, name: "Cleo", email: expect.stringMatching(/^cleo\S*@/i) }],
      removed: [],
    };
    expect(await proposals(ada)).toMatchObject([
      { by: { name: "Ada" }, policy: null, group: change, changes: { group: change }, mayApprove: false },
    ]);
    expect((await proposals(adam))[0].mayApprove).toBe(true);
    expect(codeOf(await decide(ada, added.body.proposalId))).toEqual([403, "same_maker"]);
    expect((await decide(adam, added.body.proposalId)).status).toBe(200);
    expect(await names()).toEqual([["Finance", "Ben", "Cleo"]]);
    expect((await web.call("GET", "/api/v1/organization", ada)).body.twoPersonPolicy).toBe(true);
    const [line] = (await lines("group.changed")).slice(-1);
    expect(line).toMatchObject({
      actor: { name: "Adam" },
      data: { added: [{ name: "Cleo" }], proposalId: added.body.proposalId, proposedBy: "Ada" },
    });
    const created = await make(adam, "Board", [dora]);
    expect(created.status).toBe(202);
    expect((await decide(ada, created.body.proposalId)).status).toBe(200);
    const dropped = await drop(adam, finance);
    expect([dropped.status, (await decide(ada, dropped.body.proposalId)).status]).toEqual([202, 200]);
    expect(await names()).toEqual([["Board", "Dora"]]);
    expect(await proposals(ada)).toEqual([]);
  });

  test("a proposal is withdrawn, replaced by its maker's next one, and overtaken by another change of that group alone", async () => {
    const board = (await make(ada, "Board", [dora])).body.proposalId;
    const first = (await add(ada, finance, cleo)).body.proposalId;
    const second = (await add(ada, finance, dora)).body.proposalId;
    const others = (await change(adam, finance, { name: "Money" })).body.proposalId;
    expect((await proposals(ada)).map(({ id }: { id: string }) => id)).toEqual([board, second, others]);
    expect((await decide(adam, first)).status).toBe(404);
    expect((await decide(adam, second)).status).toBe(200);
    expect((await decide(ada, others)).status).toBe(404);
    expect((await decide(ben, board, "withdraw")).status).toBe(403);
    expect((await decide(adam, board, "withdraw")).status).toBe(204);
    expect(await names()).toEqual([["Finance", "Ben", "Dora"]]);
    expect((await lines("policy.proposal_ended")).map(({ data }) => [data.as, data.group.name])).toEqual([
      ["replaced", "Finance"],
      ["overtaken", "Money"],
      ["withdrawn", "Board"],
    ]);
  });

  test("is approved once by two at the same time, and of two changes of a group one counts", async () => {
    const one = (await add(ada, finance, cleo)).body.proposalId;
    const other = (await remove(adam, finance, ben)).body.proposalId;
    const all = await Promise.all([decide(adam, one), decide(adam, one), decide(ada, other)]);
    expect(all.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(await lines("group.changed")).toHaveLength(1);
  });

  test("what can't be as it was approved is refused: somebody left, the name is taken, the policy names the group", async () => {
    const added = (await add(ada, finance, cleo)).body.proposalId;
    await web.call("DELETE", `/api/v1/members/${cleo.memberId}`, ada);
    expect(codeOf(await decide(adam, added))).toEqual([409, "version_changed"]);
    const [twice, again] = [
      (await make(ada, "Board")).body.proposalId,
      (await make(adam, "Board")).body.proposalId,
    ];
    expect((await decide(adam, twice)).status).toBe(200);
    expect(codeOf(await decide(ada, again))).toEqual([422, "invalid_input"]);
    const dropped = (await drop(ada, finance)).body.proposalId;
    const named = (await save(policy())).body.proposalId;
    expect((await decide(adam, named)).status).toBe(200);
    expect(codeOf(await decide(adam, dropped))).toEqual([409, "group_in_use"]);
    // A group that has another's name by now is not what its approver looked at.
    const renaming = (await change(ada, finance, { name: "Money" })).body.proposalId;
    const naming = (await save(policy(stage({ name: "Other" })))).body.proposalId;
    expect((await decide(adam, renaming)).status).toBe(200);
    const taking = (await make(ada, "Finance", [dora])).body.proposalId;
    expect((await decide(adam, taking)).status).toBe(200);
    expect(codeOf(await decide(adam, naming))).toEqual([409, "version_changed"]);
  });

  test("no more groups are proposed, nor made, than there may be", async () => {
    const insert = (count: number) =>
      acme.sql(
        `INSERT INTO organization_group (organization_id, id, name, changed_by)
          SELECT $1, gen_random_uuid(), gen_random_uuid()::text, '{"kind":"operator","id":null,"name":"Operator"}' FROM generate_series(1, $2)`,
        [acme.id, count],
      );
    await insert(198);
    const { proposalId } = (await make(ada, "Last")).body;
    const tooMany = await make(adam, "Too many");
    expect([tooMany.status, tooMany.body.errors?.[0].message]).toEqual([422, "At most 200 groups"]);
    await insert(1);
    expect((await decide(adam, proposalId)).status).toBe(422);
    await acme.sql("DELETE FROM organization_group WHERE organization_id = $1 AND id <> $2", [
      acme.id,
      finance,
    ]);
    expect((await decide(adam, proposalId)).status).toBe(200);
    expect((await make(adam, "Another")).status).toBe(202);
  });

  test("the end of the rule ends proposals, and an approved change of a group is no end of the rule", async () => {
    const added = (await add(ada, finance, cleo)).body.proposalId;
    await web.call("PATCH", "/api/v1/organization", { ...ada, body: { twoPersonPolicy: false } });
    const end = (await proposals(adam)).find(
      (each: { group: unknown; policy: unknown }) => each.group === null && each.policy === null,
    );
    expect((await decide(adam, end.id)).status).toBe(200);
    expect((await decide(adam, added)).status).toBe(404);
    expect(await proposals(adam)).toEqual([]);
    expect((await add(ada, finance, cleo)).status).toBe(200);
  });

  test("the rule is the database's too", async () => {
    const app = createDatabase(web.database.appUrl, { connections: 1 });
    const run = (...texts: string[]) =>
      app.withOrganization(acme.id, async (tx) => {
        for (const text of texts) await tx.$executeRawUnsafe(text);
      });
    const refused = "a second admin has to approve this change of a group";
    const org = `'${acme.id}'`;
    const joins = `INSERT INTO organization_group_member VALUES (${org}, '${finance}', '${dora.memberId}')`;
    for (const text of [
      `INSERT INTO organization_group (organization_id, id, name, changed_by) VALUES (${org}, '${uuidv7()}', 'New', '{}')`,
      `UPDATE organization_group SET name = 'Other' WHERE id = '${finance}'`,
      `DELETE FROM organization_group WHERE id = '${finance}'`,
      `DELETE FROM organization_group_member WHERE group_id = '${finance}'`,
      joins,
    ])
      await expect(run(text), text).rejects.toThrow(refused);
    await expect(run(`UPDATE organization_group_member SET group_id = '${uuidv7()}'`)).rejects.toThrow(
      "permission denied",
    );
    // An approval is of what it says, by another one, and in the same transaction.
    const { proposalId } = (await add(ada, finance, cleo)).body;
    const approve = (who: Voter) =>
      `UPDATE policy_proposal SET state = 'approved', decided_at = now(), approver = '${who.userId}' WHERE id = '${proposalId}'`;
    await expect(run(approve(ada), joins.replace(dora.memberId, cleo.memberId))).rejects.toThrow(refused);
    await expect(run(approve(adam), joins)).rejects.toThrow(refused);
    await expect(run(approve(adam), "UPDATE organization SET two_person_policy = false")).rejects.toThrow(
      "approve the end",
    );
    await expect(run(`UPDATE policy_proposal SET group_change = '{}'`)).rejects.toThrow("permission denied");
    await run(approve(adam), joins.replace(dora.memberId, cleo.memberId));
    expect(await names()).toEqual([["Finance", "Ben", "Cleo"]]);
    await app.close();
  });
});
