/** Requests on which several people have to agree: votes, stages, and the one answer at the end. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDatabase } from "@/lib/base/db/db.ts";
import { uuidv7 } from "@/lib/base/ids.ts";
import { NOTICES } from "@/lib/engine/jobs/notice-jobs.ts";
import { type Voter, type VotingOrganization, votingForFile, votingOrganization } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
// An admin, who makes keys.
const { acme, ana, ben, ada, cleo, dora, ola } = votingForFile(web, "acme", {
  ana: "owner",
  ben: "approver",
  ada: "admin",
  cleo: "approver",
  dora: "approver",
  ola: "operator",
});

const finance = () => ({ name: "Finance", approvers: { groups: ["finance"] }, need: 2 });
const groups = () => ({ finance: [ben.email, cleo.email, ola.email, ada.email], cfo: [ana.email] });
/** Two of Finance, then the CFO. */
const large = (stage: object = {}, more: object = {}) => ({
  groups: groups(),
  rules: [
    {
      name: "Large invoices",
      when: "request.amount == null || request.amount >= 5000.0",
      stages: [
        { ...finance(), ...stage },
        { name: "CFO", approvers: { groups: ["cfo"] } },
      ],
      ...more,
    },
  ],
});
const one = (stage: object = {}, more: object = {}) => ({
  groups: groups(),
  rules: [{ name: "All", stages: [{ ...finance(), ...stage }], ...more }],
});
const asked = async (more: Parameters<VotingOrganization["task"]>[0] = {}) => acme.ask(await acme.task(more));
const waitsFor = async (who: Pick<Voter, "cookie"> | { key: string }, { id }: { id: string }) => {
  const { body } = await web.call("GET", "/api/v1/input-requests?waiting=me&limit=200", who);
  return body.items.some((item: { id: string }) => item.id === id);
};
const tellEngines = async () => {
  const engine = createDatabase(web.database.engineUrl, { connections: 1 });
  await NOTICES.run({ database: engine, log: () => {} } as never, acme.id);
  await engine.close();
};
const requireSecond = async () => {
  const body = { fourEyes: true };
  expect((await web.call("PATCH", "/api/v1/organization", { cookie: ana.cookie, body })).status).toBe(200);
};
/** Ends the rule of a second person at once, as nobody can. */
const requireNobody = async () => {
  await acme.sql("ALTER TABLE organization DISABLE TRIGGER USER");
  await acme.sql("UPDATE organization SET four_eyes = false, four_eyes_until = NULL WHERE id = $1", [
    acme.id,
  ]);
  await acme.sql("ALTER TABLE organization ENABLE TRIGGER USER");
};
const codeOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

describe("a request", () => {
  test("needs nobody else without a rule that matches, and says nothing of approvals", async () => {
    await acme.policy(large());
    const small = await asked({ arguments: { amount: 12 } });
    expect((await acme.read(dora, small)).approval).toBeNull();
    expect((await acme.decide(dora, small)).status).toBe(202);
    expect(await acme.answers(small)).toHaveLength(1);
  });

  test("names who could still agree, to callers who may find people", async () => {
    await acme.policy(one());
    const request = await asked({ requester: ola.userId });
    const voters = async (who: Pick<Voter, "cookie"> | { key: string }, of = request) =>
      (await acme.read(who, of)).voters;
    const [ada_, ben_, cleo_] = [
      { id: ada.userId, name: "Ada" },
      { id: ben.userId, name: "Ben" },
      { id: cleo.userId, name: "Cleo" },
    ];
    // Ola asked, and has no vote.
    expect(await voters(ola)).toEqual({ count: 3, people: [ada_, ben_, cleo_] });
    // As `GET /people`, which viewers may not call.
    const vic = await acme.person("Vic", "viewer");
    expect((await web.call("GET", "/api/v1/people", vic)).status).toBe(403);
    expect(await voters(vic)).toBeNull();
    expect(await voters({ key: await acme.keyOf(ada, "viewer") })).toBeNull();
    await acme.decide(ben, request);
    expect(await voters(dora)).toEqual({ count: 2, people: [ada_, cleo_] });
    await acme.decide(cleo, request);
    expect(await voters(dora)).toBeNull();

    await acme.stages({ name: "All", approvers: { roles: ["approver", "admin"] } });
    expect(await voters(dora, await asked({ requester: ola.userId }))).toEqual({
      count: 4,
      people: [ada_, ben_, cleo_],
    });
    // Nobody else sees a private request.
    expect(await voters(ola, await asked({ requester: ola.userId, visibility: "private" }))).toEqual({
      count: 0,
      people: [],
    });
  });

  test("waits until its last stage is full, and then has one answer with all votes", async () => {
    const version = await acme.policy(large());
    const request = await asked({ arguments: { amount: 9000 } });
    expect((await acme.read(ben, request)).approval).toMatchObject({
      rule: "Large invoices",
      version,
      stages: [
        { name: "Finance", state: "open", need: 2, votes: [], missing: 2 },
        { name: "CFO", state: "waiting", need: 1, votes: [], missing: 1 },
      ],
      canVote: true,
      why: "approver",
      mine: null,
    });
    // Ana's turn comes later.
    expect((await acme.read(ana, request)).approval).toMatchObject({
      canVote: false,
      why: "not_an_approver",
    });
    expect(codeOf(await acme.decide(ana, request))).toEqual([403, "not_an_approver"]);
    expect(codeOf(await acme.decide(dora, request))).toEqual([403, "not_an_approver"]);

    const first = await acme.decide(ben, request, { comment: "Fine" });
    expect(first.status).toBe(202);
    expect(first.body).toMatchObject({
      state: "open",
      answer: null,
      delivery: null,
      approval: {
        stages: [
          {
            state: "open",
            missing: 1,
            votes: [
              {
                by: { kind: "member", name: "Ben" },
                onBehalfOf: null,
                action: "accept",
                agrees: true,
                comment: "Fine",
              },
            ],
          },
          { state: "waiting" },
        ],
        content: { decision: "approve" },
        canVote: false,
        why: "already_voted",
        mine: { stage: "Finance", agrees: true, canTakeBack: true },
      },
    });
    expect(codeOf(await acme.decide(ben, request))).toEqual([409, "already_voted"]);

    expect((await acme.decide(cleo, request)).body).toMatchObject({
      state: "open",
      approval: { stages: [{ state: "done", missing: 0 }, { state: "open" }], mine: { canTakeBack: false } },
    });
    expect(await acme.answers(request)).toEqual([]);
    expect(codeOf(await acme.decide(ola, request))).toEqual([403, "not_an_approver"]);
    expect(codeOf(await acme.decide(ben, request))).toEqual([409, "already_voted"]);
    expect(codeOf(await acme.takeBack(ben, request))).toEqual([409, "stage_full"]);

    const last = await acme.decide(ana, request, { holdMs: 60_000 });
    expect(last.body).toMatchObject({
      state: "answered",
      answer: { action: "accept", content: { decision: "approve" }, by: { name: "Ana" } },
      delivery: { state: "held" },
      approval: { stages: [{ state: "done" }, { state: "done" }], canVote: false, why: "not_open" },
    });
    const answers = await acme.answers(request);
    expect(answers).toHaveLength(1);
    const votes = await acme.sql(
      "SELECT answer_id, completes FROM vote WHERE input_request_id = $1 ORDER BY cast_at",
      [request.id],
    );
    expect(votes).toEqual([false, false, true].map((completes) => ({ answer_id: answers[0].id, completes })));
    const lines = await acme.lines(request);
    expect(lines.map(({ type }) => type)).toEqual([
      "request.opened",
      "vote.recorded",
      "vote.recorded",
      "vote.recorded",
      "answer.recorded",
    ]);
    expect(lines[0]!.data).toMatchObject({ approval: { rule: "Large invoices", version } });
    expect(lines[1]!.data).toMatchObject({
      stage: "Finance",
      agrees: true,
      comment: "Fine",
      rule: "Large invoices",
    });
    expect(lines[2]!.data).toMatchObject({ opens: "CFO" });
    expect(lines.at(-1)!.data).toMatchObject({
      votes: [
        { by: { name: "Ben" }, stage: "Finance", agrees: true },
        { by: { name: "Cleo" } },
        { by: { name: "Ana" }, stage: "CFO" },
      ],
    });
    expect(codeOf(await acme.decide(ben, request))).toEqual([409, "already_answered"]);
  });

  test("keeps the rule under which it was asked, whatever the policy says later", async () => {
    const version = await acme.policy(one());
    const request = await asked();
    await acme.policy({ rules: [] });
    expect((await acme.decide(ben, request)).body).toMatchObject({ state: "open", approval: { version } });
    expect((await acme.decide(cleo, request)).body.state).toBe("answered");
  });

  test("is judged by the policy of now where an admin in person wants it, who did not ask for it", async () => {
    await acme.policy(one({ remind: ["2h", "3h"] }, { name: "Before" }));
    const request = await acme.ask(await acme.task({ requester: ola.userId }));
    expect((await acme.decide(ben, request)).status).toBe(202);
    await acme.policy(one({ need: 1, remind: ["4h"] }, { name: "After" }));
    const again = (who: { cookie: string } | { key: string }, { id } = request) =>
      web.call("POST", `/api/v1/input-requests/${id}/judge-again`, who);
    for (const who of [ben, { key: await acme.keyOf(ana, "admin") }])
      expect((await again(who)).status).toBe(403);
    expect((await acme.read(ben, request)).approval).toMatchObject({
      rule: "Before",
      stages: [{ missing: 1 }],
    });

    const own = await acme.ask(await acme.task({ requester: ana.userId }));
    expect((await again(ana, own)).body.code).toBe("four_eyes");
    const judged = await again(ana);
    expect(judged.body.approval).toMatchObject({
      rule: "After",
      stages: [{ need: 1, votes: [], missing: 1 }],
    });
    expect(judged.body.approval.timers).toMatchObject([{ kind: "remind" }]);
    expect((await again(ana)).status).toBe(200);
    const lines = await acme.lines(request);
    expect(
      lines.filter(({ type }) => /judged|dropped/.test(type)).map(({ type, data }) => [type, data]),
    ).toEqual([
      ["vote.dropped", { reason: "judged_again", of: [expect.objectContaining({ name: "Ben" })] }],
      [
        "request.judged_again",
        {
          from: { rule: "Before", version: expect.any(Number) },
          to: { rule: "After", version: expect.any(Number) },
        },
      ],
    ]);
    expect(await acme.answers(request)).toEqual([]);
    expect((await acme.decide(ben, request)).body.state).toBe("answered");
    expect((await again(ana)).body.code).toBe("already_answered");
  });

  test("is not judged again by the version that judged it, whatever the server is called by now", async () => {
    await acme.policy(one({}, { name: "Strict", when: 'server.name == "Finance ERP"' }));
    const request = await asked();
    const rename = (name: string) =>
      acme.sql("UPDATE server SET name = $1 WHERE id = $2", [name, acme.server.id]);
    await rename("Another");
    const judged = await web.call("POST", `/api/v1/input-requests/${request.id}/judge-again`, {
      cookie: ana.cookie,
    });
    await rename("Finance ERP");
    expect(judged.body.approval).toMatchObject({ rule: "Strict" });
  });

  test("is judged again, and its votes are read, where the organization seals content", async () => {
    const other = await votingOrganization(web, "sealed");
    const [bea, cara] = [await other.person("Bea", "owner"), await other.person("Cara", "owner")];
    const sealed = { cookie: bea.cookie, body: { sealed: true } };
    expect((await web.call("PUT", "/api/v1/organization/content-sealing", sealed)).status).toBeLessThan(300);
    const both = { name: "Both", approvers: { people: [bea.email, cara.email] } };
    const rule = (name: string, need: number) => ({
      name,
      when: "request.amount != null && request.amount >= 5000.0",
      stages: [{ ...both, need }],
    });
    await other.policy({ rules: [rule("Before", 2)] });
    const taskId = await other.task({ arguments: { amount: 9000 } });
    const request = await other.ask(taskId, { message: "Pay $9,000.00?" });
    expect((await other.decide(bea, request, { comment: "Seen" })).status).toBe(202);
    expect((await other.read(cara, request)).approval).toMatchObject({
      rule: "Before",
      content: { decision: "approve" },
      stages: [{ votes: [{ comment: "Seen" }] }],
    });
    await other.policy({ rules: [rule("After", 1)] });
    const judged = await web.call("POST", `/api/v1/input-requests/${request.id}/judge-again`, {
      cookie: cara.cookie,
    });
    expect([judged.status, judged.body.approval?.rule]).toEqual([200, "After"]);
  });

  test("of a rule that can't be applied takes its stages, and those of the next rule that matches", async () => {
    await acme.policy({
      groups: groups(),
      rules: [
        { name: "Odd", when: "task.arguments.limit > 3.0", stages: [{ ...finance(), need: 1 }] },
        {
          name: "All",
          stages: [
            { ...finance(), name: "Two", need: 2 },
            { name: "CFO", approvers: { groups: ["cfo"] } },
          ],
        },
      ],
    });
    const { approval } = await acme.read(ben, await asked());
    expect(approval).toMatchObject({
      rule: "Odd",
      failed: [{ rule: "Odd" }],
      // Of the same people: one stage that asks what both ask.
      stages: [
        { name: "Finance", need: 2 },
        { name: "CFO", need: 1 },
      ],
    });
    const { approval: other } = await acme.read(ben, await asked({ arguments: { limit: 1 } }));
    expect(other).toMatchObject({ rule: "All", failed: [], stages: [{ name: "Two" }, { name: "CFO" }] });
  });

  test("the database refuses an answer without votes", async () => {
    await acme.policy(one());
    const request = await asked();
    const answer = () => acme.sql("UPDATE input_request SET state = 'answered' WHERE id = $1", [request.id]);
    await expect(answer()).rejects.toThrow("votes are missing");
    await acme.decide(ben, request);
    await expect(answer()).rejects.toThrow("votes are missing");
  });
});

describe("a person votes once", () => {
  test("also by keys that they made, and not by one of the command line or a service account", async () => {
    await acme.policy(one({ approvers: { groups: ["finance"], roles: ["approver"] } }));
    const request = await asked();
    const [first, second] = [await acme.keyOf(ada), await acme.keyOf(ada)];
    const voted = await acme.decide({ key: first }, request);
    expect(voted.body.approval.stages[0].votes).toMatchObject([{ by: { kind: "key" }, person: ada.userId }]);
    for (const who of [ada, { key: second }, { key: first }])
      expect(codeOf(await acme.decide(who, request))).toEqual([409, "already_voted"]);
    const bare = await web.key(acme.id, "approver");
    expect(codeOf(await acme.decide({ key: bare }, request))).toEqual([403, "not_an_approver"]);
    const account = await web.call("POST", "/api/v1/service-accounts", {
      cookie: ana.cookie,
      body: { name: uuidv7(), role: "approver", ownerId: ada.memberId },
    });
    const bot = await web.call("POST", "/api/v1/api-keys", {
      cookie: ana.cookie,
      body: { name: "bot", role: "approver", serviceAccountId: account.body.id },
    });
    expect(bot.status).toBe(201);
    expect(codeOf(await acme.decide({ key: bot.body.secret }, request))).toEqual([403, "not_an_approver"]);
    // Taken back by another key of theirs: the vote is the person's.
    expect((await acme.takeBack({ key: second }, request)).status).toBe(200);
    expect((await acme.decide(ada, request)).status).toBe(202);
  });

  test("in the role that both the member and the key have", async () => {
    await acme.policy(one({ approvers: { roles: ["approver"] } }));
    const request = await asked();
    expect(codeOf(await acme.decide({ key: await acme.keyOf(ana, "approver") }, request))).toEqual([
      403,
      "not_an_approver",
    ]);
    await acme.policy(one({ approvers: { roles: ["owner"] }, need: 1 }));
    const owners = await asked();
    expect(codeOf(await acme.decide({ key: await acme.keyOf(ana, "approver") }, owners))).toEqual([
      403,
      "not_an_approver",
    ]);
    expect((await acme.decide(ana, owners)).body.state).toBe("answered");
  });

  test("of two calls at once, by whatever credential", async () => {
    await acme.policy(one());
    const key = await acme.keyOf(ada);
    for (let round = 0; round < 5; round++) {
      const request = await asked();
      const replies = await Promise.all([ada, { key }, ada, { key }].map((who) => acme.decide(who, request)));
      expect(replies.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409]);
      expect((await acme.read(ada, request)).approval.stages[0].missing).toBe(1);
    }
  });

  test("who requires a second person counts those who let each other in as one", async () => {
    await acme.policy(one());
    await acme.sql("UPDATE maker SET invited_by = $1 WHERE user_id = $2", [ben.userId, cleo.userId]);
    await requireSecond();
    const request = await asked();
    await acme.decide(ben, request);
    expect(codeOf(await acme.decide(cleo, request))).toEqual([403, "four_eyes"]);
    // The list, the card and whoever hands it over know that too.
    expect((await acme.read(cleo, request)).approval).toMatchObject({ canVote: false, why: "four_eyes" });
    const lists = await Promise.all(
      [cleo, ola].map((who) => web.call("GET", "/api/v1/input-requests?state=open&waiting=me", who)),
    );
    const isListed = lists.map(({ body }) =>
      body.items.some((item: { id: string }) => item.id === request.id),
    );
    expect(isListed).toEqual([false, true]);
    const handOver = { cookie: ola.cookie, body: { memberId: cleo.memberId } };
    const assigned = await web.call("POST", `/api/v1/input-requests/${request.id}/assign`, handOver);
    expect(assigned.status).toBe(422);
    expect((await acme.decide(ola, request)).body.state).toBe("answered");
    await acme.sql("UPDATE maker SET invited_by = NULL WHERE user_id = $1", [cleo.userId]);
    await requireNobody();
  });
});

describe("who asked for the task", () => {
  test("has no vote, in person or by a key, unless the rule allows it", async () => {
    await acme.policy(one());
    const request = await asked({ requester: ada.userId });
    const key = await acme.keyOf(ada);
    for (const who of [ada, { key }]) {
      expect(codeOf(await acme.decide(who, request))).toEqual([403, "four_eyes"]);
      expect(codeOf(await acme.decide(who, request, { action: "decline", content: undefined }))).toEqual([
        403,
        "four_eyes",
      ]);
      expect((await acme.read(who, request)).approval).toMatchObject({ canVote: false, why: "four_eyes" });
    }
    await acme.policy(one({}, { requester: "allowed" }));
    expect((await acme.decide(ada, await asked({ requester: ada.userId }))).status).toBe(202);
  });

  test("by a key, an agent or a service account is the person behind it", async () => {
    await acme.policy(one());
    const made = await web.call("POST", "/api/v1/api-keys", {
      cookie: ada.cookie,
      body: { name: "k", role: "approver" },
    });
    const byKey = await asked();
    const [{ task_id: taskId }] = await acme.sql("SELECT task_id FROM input_request WHERE id = $1", [
      byKey.id,
    ]);
    const requestedBy = (actor: object) =>
      acme.sql("UPDATE task SET requested_by = $1 WHERE id = $2", [JSON.stringify(actor), taskId]);
    await requestedBy({ kind: "key", id: made.body.id, name: "k" });
    expect(codeOf(await acme.decide(ada, byKey))).toEqual([403, "four_eyes"]);
    const agent = uuidv7();
    await acme.sql(
      "INSERT INTO agent_credential (organization_id, id, name, role, secret_hash, created_by) VALUES ($1, $2, 'A', 'viewer', 'x', $3)",
      [acme.id, agent, ada.userId],
    );
    await requestedBy({ kind: "agent", id: agent, name: "A" });
    expect(codeOf(await acme.decide(ada, byKey))).toEqual([403, "four_eyes"]);
    const { body: account } = await web.call("POST", "/api/v1/service-accounts", {
      cookie: ana.cookie,
      body: { name: uuidv7(), role: "approver", ownerId: ada.memberId },
    });
    const { body: bot } = await web.call("POST", "/api/v1/api-keys", {
      cookie: ana.cookie,
      body: { name: "bot", role: "approver", serviceAccountId: account.id },
    });
    await requestedBy({ kind: "key", id: bot.id, name: "bot" });
    expect(codeOf(await acme.decide(ada, byKey))).toEqual([403, "four_eyes"]);
    // Whoever ever answered for the account counts.
    await web.call("PATCH", `/api/v1/service-accounts/${account.id}`, {
      cookie: ana.cookie,
      body: { ownerId: cleo.memberId },
    });
    for (const who of [ada, cleo]) expect(codeOf(await acme.decide(who, byKey))).toEqual([403, "four_eyes"]);
    expect((await acme.decide(ola, byKey)).status).toBe(202);
  });
});

describe("a rejection", () => {
  test.each([
    ["declines", { action: "decline", content: undefined, comment: "No" }],
    ["says no by the form", { action: "accept", content: { decision: "reject" } }],
  ])("that %s ends it with what it said", async (_how, said) => {
    await acme.policy(large());
    const request = await asked();
    await acme.decide(ben, request);
    const rejected = await acme.decide(cleo, request, said);
    expect(rejected.body).toMatchObject({
      state: "answered",
      answer: { action: said.action, content: said.content ?? null, by: { name: "Cleo" } },
      approval: {
        stages: [{ state: "done", votes: [{ agrees: true }, { agrees: false }] }, { state: "waiting" }],
      },
    });
    expect(await acme.answers(request)).toHaveLength(1);
  });

  test("by the form holds no more than the Reject button sends: what says more needs all votes", async () => {
    const properties = {
      decision: { type: "string", enum: ["approve", "reject"] },
      pay_now: { type: "boolean" },
      amount: { type: "number", default: 10 },
      iban: { type: "string" },
      reason: { type: "string" },
    };
    const schema = { type: "object", properties, required: ["decision"] };
    await acme.policy(one());
    const request = await acme.ask(await acme.task(), { schema });
    const no = { decision: "reject", reason: "Too much" };
    for (const more of [{ pay_now: true }, { amount: 10 }, { amount: 90_000 }, { iban: "DE00 1234" }]) {
      const said = await acme.decide(ben, request, { content: { ...no, ...more } });
      expect(said.body).toMatchObject({
        state: "open",
        approval: { stages: [{ missing: 1, votes: [{ agrees: true }] }] },
      });
      expect((await acme.takeBack(ben, request)).status).toBe(200);
    }
    expect(await acme.answers(request)).toHaveLength(0);
    expect((await acme.decide(cleo, request, { content: no })).body).toMatchObject({
      state: "answered",
      answer: { content: no, by: { name: "Cleo" } },
    });
  });

  test("is none where the choice is called Reject and sends a yes: that needs all votes", async () => {
    const yes = { const: "approve", title: "Reject" };
    const properties = { decision: { type: "string", oneOf: [yes, { const: "no", title: "Approve" }] } };
    const schema = { type: "object", properties, required: ["decision"] };
    await acme.policy(one());
    for (const decision of ["approve", "no"]) {
      const request = await acme.ask(await acme.task(), { schema });
      expect((await acme.decide(ben, request, { content: { decision } })).body).toMatchObject({
        state: "open",
        approval: { stages: [{ missing: 1, votes: [{ agrees: true }] }] },
      });
      expect(await acme.answers(request)).toHaveLength(0);
    }
  });

  test("counts with others where the stage wants more of them, and beside those who agree", async () => {
    await acme.policy(one({ rejections: 2 }));
    const request = await asked();
    const no = { action: "decline", content: undefined };
    expect((await acme.decide(ben, request, no)).body).toMatchObject({
      state: "open",
      approval: { stages: [{ missing: 2 }] },
    });
    expect((await acme.decide(cleo, request)).body.state).toBe("open");
    expect((await acme.decide(ola, request, no)).body).toMatchObject({
      state: "answered",
      answer: { action: "decline", by: { name: "Ola" } },
    });
  });

  test("needs a reason where the stage wants one", async () => {
    await acme.policy(one({ requireReason: ["reject"] }));
    const request = await asked();
    const refused = await acme.decide(ben, request, { content: { decision: "reject" } });
    expect([codeOf(refused), refused.body.errors]).toMatchObject([
      [422, "reason_required"],
      [{ field: "comment" }],
    ]);
    expect((await acme.decide(ben, request)).status).toBe(202);
    expect(
      (await acme.decide(cleo, request, { content: { decision: "reject" }, comment: "Too much" })).body.state,
    ).toBe("answered");
  });
});

describe("the content", () => {
  const FORM = {
    type: "object",
    properties: { amount: { type: "integer" }, note: { type: "string" } },
    required: ["amount"],
  };
  const form = async () => acme.ask(await acme.task(), { schema: FORM });
  const give = (amount: number) => ({ content: { amount } });

  test("is agreed to exactly, or somebody proposes another, which asks everybody anew", async () => {
    await acme.policy(large());
    const request = await form();
    await acme.decide(ben, request, give(10));
    expect(codeOf(await acme.decide(cleo, request, give(11)))).toEqual([409, "content_differs"]);
    expect(codeOf(await acme.decide(cleo, request, { content: { amount: 10, note: "" } }))).toEqual([
      409,
      "content_differs",
    ]);
    const proposed = await acme.decide(cleo, request, { ...give(11), proposes: true });
    expect(proposed.body.approval).toMatchObject({
      content: { amount: 11 },
      stages: [{ missing: 1, votes: [{ by: { name: "Cleo" } }] }, {}],
    });
    expect((await acme.lines(request)).map(({ type }) => type)).toContain("vote.dropped");
    expect(codeOf(await acme.decide(ben, request, give(10)))).toEqual([409, "content_differs"]);
    expect((await acme.decide(ben, request, give(11))).body.approval.stages[0].state).toBe("done");

    // From a later stage too: nobody's yes is taken for other content.
    const back = await acme.decide(ana, request, { ...give(12), proposes: true });
    expect(back.body).toMatchObject({
      state: "open",
      approval: {
        stages: [
          { state: "open", missing: 2 },
          { state: "waiting", missing: 0 },
        ],
        mine: { stage: "CFO" },
      },
    });
    await acme.decide(ben, request, give(12));
    const last = await acme.decide(ola, request, give(12));
    expect(last.body).toMatchObject({
      state: "answered",
      answer: { content: { amount: 12 }, by: { name: "Ola" } },
    });
    expect(await acme.answers(request)).toHaveLength(1);
  });
});

describe("a vote", () => {
  test("is taken back while its stage is open, by whose it is", async () => {
    await acme.policy(large());
    const request = await asked();
    await acme.decide(ben, request);
    expect(codeOf(await acme.takeBack(cleo, request))).toEqual([404, "not_found"]);
    expect((await acme.takeBack(ben, request)).body.approval).toMatchObject({
      stages: [{ missing: 2, votes: [] }, {}],
      mine: null,
    });
    expect(codeOf(await acme.takeBack(ben, request))).toEqual([404, "not_found"]);
    expect((await acme.decide(ben, request)).status).toBe(202);
    const plain = await acme.sql("SELECT ended_as FROM vote WHERE input_request_id = $1 ORDER BY cast_at", [
      request.id,
    ]);
    expect(plain.map(({ ended_as }) => ended_as)).toEqual(["taken_back", null]);
  });

  test("that was the last is undone as long as the answer is held, and the others stay", async () => {
    await acme.policy(one());
    const request = await asked();
    await acme.decide(ben, request);
    await acme.decide(cleo, request, { holdMs: 60_000 });
    const undo = (who: Voter) =>
      web.call("POST", `/api/v1/input-requests/${request.id}/undo`, { cookie: who.cookie });
    const undone = await undo(cleo);
    expect(undone.body).toMatchObject({
      state: "open",
      answer: null,
      approval: { stages: [{ missing: 1, votes: [{ by: { name: "Ben" } }] }], canVote: true },
    });
    expect((await acme.decide(ola, request, { holdMs: 60_000 })).body.state).toBe("answered");
    const answers = await acme.answers(request);
    expect(answers.filter(({ withdrawn_at }) => withdrawn_at === null)).toHaveLength(1);
    expect(codeOf(await undo(cleo))).toEqual([403, "forbidden"]);
  });

  test("is not taken back by a program of whoever asked, once it was the last", async () => {
    await acme.policy(one({ need: 1 }));
    const account = await web.call("POST", "/api/v1/service-accounts", {
      cookie: ada.cookie,
      body: { name: "Bot", role: "operator", ownerId: ada.memberId },
    });
    const made = await web.call("POST", "/api/v1/api-keys", {
      cookie: ada.cookie,
      body: { name: "of the bot", role: "operator", serviceAccountId: account.body.id },
    });
    const taskId = await acme.task();
    await acme.sql("UPDATE task SET requested_by = $1 WHERE id = $2", [
      JSON.stringify({ kind: "member", id: ada.userId, name: "Ada" }),
      taskId,
    ]);
    const request = await acme.ask(taskId);
    expect((await acme.decide(ben, request, { holdMs: 60_000 })).body.state).toBe("answered");
    const undo = (who: object) => web.call("POST", `/api/v1/input-requests/${request.id}/undo`, who);
    const programs = [{ key: made.body.secret }, { key: await acme.keyOf(ada, "operator") }];
    for (const who of [{ cookie: ada.cookie }, ...programs])
      expect(codeOf(await undo(who))).toEqual([403, "four_eyes"]);
    expect((await undo({ cookie: ola.cookie })).status).toBeLessThan(300);
  });

  test("asks for a fresh factor where its stage does, and none of a key", async () => {
    await acme.policy(one({ stepUp: true, need: 1 }));
    const request = await asked();
    await acme.sql("UPDATE session SET factor_at = now() - interval '5 minutes' WHERE user_id = $1", [
      ben.userId,
    ]);
    const key = { key: await acme.keyOf(ada) };
    for (const who of [ben, key])
      expect(codeOf(await acme.decide(who, request))).toEqual([403, "step_up_required"]);
    expect((await acme.read(ben, request)).approval.canVote).toBe(true);
    expect((await acme.read(key, request)).approval).toMatchObject({
      canVote: false,
      why: "step_up_required",
    });
    expect([await waitsFor(ben, request), await waitsFor(key, request)]).toEqual([true, false]);
    await acme.sql("UPDATE session SET factor_at = now() WHERE user_id = $1", [ben.userId]);
    expect((await acme.decide(ben, request)).body.state).toBe("answered");
  });

  test("of a stage without a factor waits for keys beside one with it", async () => {
    await acme.policy({
      groups: groups(),
      rules: [
        { name: "Dear", when: "request.amount >= 5000.0", stages: [{ ...finance(), stepUp: true }] },
        { name: "Cheap", when: "request.amount < 5000.0", stages: [finance()] },
      ],
    });
    const [dear, cheap] = [
      await asked({ arguments: { amount: 9000 } }),
      await asked({ arguments: { amount: 1 } }),
    ];
    const key = { key: await acme.keyOf(ada) };
    expect([await waitsFor(key, dear), await waitsFor(key, cheap)]).toEqual([false, true]);
    expect([await waitsFor(ada, dear), await waitsFor(ada, cheap)]).toEqual([true, true]);
    expect((await acme.decide(key, cheap)).status).toBe(202);
  });

  test("is not a viewer's whom the policy names, and says so", async () => {
    await acme.policy(one());
    const request = await asked();
    const seen = async () => (await acme.read(cleo, request)).approval;
    expect(await seen()).toMatchObject({ canVote: true, why: "approver" });
    await acme.sql("UPDATE membership SET role = 'viewer' WHERE user_id = $1", [cleo.userId]);
    try {
      expect(await seen()).toMatchObject({ canVote: false, why: "forbidden" });
      expect(codeOf(await acme.decide(cleo, request))).toEqual([403, "forbidden"]);
    } finally {
      await acme.sql("UPDATE membership SET role = 'approver' WHERE user_id = $1", [cleo.userId]);
    }
  });

  test("on a question of Intray's own is taken back by its person alone, and by no key of theirs", async () => {
    await acme.policy(one());
    const request = await asked();
    expect((await acme.decide(ada, request)).status).toBe(202);
    await acme.sql("UPDATE input_request SET origin = 'intray' WHERE id = $1", [request.id]);
    const key = { key: await acme.keyOf(ada) };
    expect(codeOf(await acme.takeBack(key, request))).toEqual([403, "forbidden"]);
    expect((await acme.read(key, request)).approval).toMatchObject({ canVote: false, why: "forbidden" });
    expect([await waitsFor(key, request), await waitsFor(cleo, request)]).toEqual([false, true]);
    expect((await acme.read(cleo, request)).approval.stages[0].votes).toHaveLength(1);
    expect((await acme.takeBack(ada, request)).status).toBe(200);
  });

  test("counts until the question changes, and is kept when it is withdrawn", async () => {
    await acme.policy(one());
    const task = await acme.task();
    const request = await acme.ask(task, { key: "k", message: "Approve 1?" });
    await acme.decide(ben, request);
    const changed = await acme.ask(task, { key: "k", message: "Approve 2?" });
    expect(codeOf(await acme.decide(cleo, request))).toEqual([409, "question_changed"]);
    expect((await acme.read(cleo, changed)).approval.stages[0]).toMatchObject({ missing: 2, votes: [] });
    const dropped = (await acme.lines(request)).find(({ type }) => type === "vote.dropped");
    expect(dropped?.data).toMatchObject({ reason: "question_changed", of: [{ name: "Ben" }] });

    await acme.decide(ben, changed);
    await web.call("POST", `/api/v1/tasks/${task}/cancel`, { cookie: ola.cookie });
    expect(await acme.read(ben, changed)).toMatchObject({
      state: "withdrawn",
      approval: { stages: [{ votes: [{ by: { name: "Ben" } }] }], why: "not_open" },
    });
    expect(codeOf(await acme.decide(cleo, changed))).toEqual([410, "no_longer_open"]);
  });
});

describe("two last votes at once", () => {
  test.each([1, 2])("make one answer, round %i", async () => {
    await acme.policy(one());
    for (let round = 0; round < 8; round++) {
      const request = await asked();
      await acme.decide(ben, request);
      const replies = await Promise.all([cleo, ola].map((who) => acme.decide(who, request)));
      expect(replies.map(({ status }) => status).sort()).toEqual([202, 409]);
      expect(replies.find(({ status }) => status === 409)?.body.code).toBe("already_answered");
      expect(await acme.answers(request)).toHaveLength(1);
      expect(await acme.sql("SELECT FROM delivery WHERE input_request_id = $1", [request.id])).toHaveLength(
        1,
      );
      expect(
        await acme.sql("SELECT FROM vote WHERE input_request_id = $1 AND completes", [request.id]),
      ).toHaveLength(1);
    }
  });

  test.each([1, 2])("of which one says no, make one answer, round %i", async () => {
    await acme.policy(one());
    for (let round = 0; round < 8; round++) {
      const request = await asked();
      await acme.decide(ben, request);
      const replies = await Promise.all([
        acme.decide(cleo, request),
        acme.decide(ola, request, { action: "decline", content: undefined }),
        acme.takeBack(ben, request),
      ]);
      const answers = await acme.answers(request);
      expect(answers).toHaveLength(1);
      expect(replies.every(({ status }) => status < 500)).toBe(true);
    }
  });
});

test("what is reworded again and again is declined at most, and it is said so", async () => {
  await acme.policy(one());
  const request = await acme.ask(await acme.task());
  await acme.sql("UPDATE input_request SET reworded_at = now() WHERE id = $1", [request.id]);
  const refused = await acme.decide(ben, request, { anyWording: true });
  expect(refused).toMatchObject({ status: 409, body: { code: "question_changed", onlyDecline: true } });
  const declined = { action: "decline", content: undefined, anyWording: true };
  expect((await acme.decide(ben, request, declined)).status).toBe(202);
});

describe("lists", () => {
  test("show what waits for the caller's vote, and many at once are voted on one by one", async () => {
    await acme.policy(one());
    const server = await acme.task();
    const requests = [await acme.ask(server), await acme.ask(server)];
    const waiting = async (who: Voter, which = "waiting=me") => {
      const { body } = await web.call("GET", `/api/v1/input-requests?state=open&${which}&limit=200`, {
        cookie: who.cookie,
      });
      return requests.filter(({ id }) => body.items.some((item: { id: string }) => item.id === id)).length;
    };
    expect([await waiting(ben), await waiting(cleo), await waiting(dora), await waiting(ana)]).toEqual([
      2, 2, 0, 0,
    ]);
    const many = (who: Voter) =>
      web.call("POST", "/api/v1/input-requests/bulk-answer", {
        cookie: who.cookie,
        body: {
          items: requests.map(({ id, questionHash }) => ({ id, questionHash })),
          action: "accept",
          content: { decision: "approve" },
        },
      });
    expect((await many(ben)).body.results.map(({ status }: { status: string }) => status)).toEqual([
      "voted",
      "voted",
    ]);
    expect([await waiting(ben), await waiting(cleo)]).toEqual([0, 2]);
    expect([await waiting(ben, "voted=true"), await waiting(cleo, "voted=true")]).toEqual([2, 0]);
    expect((await many(ben)).body.results).toMatchObject([
      { code: "already_voted" },
      { code: "already_voted" },
    ]);
    expect((await many(cleo)).body.results.map(({ status }: { status: string }) => status)).toEqual([
      "recorded",
      "recorded",
    ]);
    expect(await waiting(ben, "voted=true")).toBe(0);
  });

  test("a request is claimed by and assigned to those alone who have a vote", async () => {
    await acme.policy(one());
    const request = await asked();
    const call = (who: Voter, path: string, body?: object) =>
      web.call("POST", `/api/v1/input-requests/${request.id}/${path}`, {
        cookie: who.cookie,
        ...(body && { body }),
      });
    expect(codeOf(await call(dora, "claim"))).toEqual([403, "not_an_approver"]);
    expect((await call(ola, "assign", { memberId: dora.memberId })).status).toBe(422);
    expect((await call(ola, "assign", { memberId: ben.memberId })).status).toBe(200);
    await call(ben, "claim");
    const voted = await acme.decide(ben, request);
    // Neither keeps it from the others.
    expect(voted.body).toMatchObject({ assignedTo: null, claimedBy: null });
    expect((await acme.decide(cleo, request)).body.state).toBe("answered");
  });
});

describe("what somebody had ends with their vote, and waits for those who have one:", () => {
  const ask = (message = "Approve invoice?", more: Parameters<VotingOrganization["task"]>[0] = {}) =>
    acme
      .task(more)
      .then(async (taskId) => ({ taskId, ...(await acme.ask(taskId, { key: taskId, message })) }));
  type Asked = Awaited<ReturnType<typeof ask>>;
  const askAgain = ({ taskId }: Asked, message?: string) => acme.ask(taskId, { key: taskId, message });
  const post = async (who: Voter, { id }: Asked, what: string, body = {}) =>
    expect(
      (await web.call("POST", `/api/v1/input-requests/${id}/${what}`, { cookie: who.cookie, body })).status,
    ).toBe(200);
  const give = (request: Asked, to: Voter, by = ola) =>
    post(by, request, "assign", { memberId: to.memberId, note: "Please" });
  const holders = async (request: Asked) => {
    const { assignedTo, assignment, claimedBy } = await acme.read(ada, request);
    return [assignedTo?.name ?? null, assignment?.note ?? null, claimedBy?.name ?? null];
  };
  const NOBODY = [null, null, null];
  /** Stores that the answer could not be delivered. */
  const fail = async ({ id }: Asked) => {
    await acme.sql("UPDATE delivery SET state = 'failed', error = '{}' WHERE input_request_id = $1", [id]);
    await acme.sql("UPDATE input_request SET state = 'undeliverable', ended_at = now() WHERE id = $1", [id]);
  };
  /** The next wording changes the request in place. */
  const makeRestless = ({ id }: Asked) =>
    acme.sql("UPDATE input_request SET reworded_at = now() - interval '1 hour' WHERE id = $1", [id]);
  const byMessage = {
    rules: [
      {
        name: "Big",
        when: 'request.message.contains("big")',
        stages: [{ name: "CFO", approvers: { people: [] as string[] } }],
      },
      {
        name: "Small",
        when: 'request.message.contains("small")',
        stages: [{ name: "Finance", approvers: { people: [] as string[] } }],
      },
    ],
  };

  test("a role that changes", async () => {
    await acme.stages({ name: "Approvers", approvers: { roles: ["approver"] } });
    const setRole = async (role: string) => {
      const path = `/api/v1/members/${ben.memberId}`;
      expect((await web.call("PATCH", path, { cookie: ana.cookie, body: { role } })).status).toBe(200);
      await tellEngines();
    };
    await tellEngines();
    const [assigned, claimed, others] = [await ask(), await ask(), await ask()];
    const hidden = await ask(undefined, { visibility: "private", requester: ola.userId });
    await give(assigned, ben);
    await give(hidden, ben);
    await give(others, cleo);
    await post(cleo, others, "claim");
    await post(ben, claimed, "claim");
    expect(await waitsFor(dora, claimed)).toBe(false);
    await setRole("admin");
    try {
      expect(await holders(assigned)).toEqual(NOBODY);
      expect(await holders(claimed)).toEqual(NOBODY);
      expect(await holders(others)).toEqual(["Cleo", "Please", "Cleo"]);
      expect([await waitsFor(cleo, assigned), await waitsFor(dora, claimed)]).toEqual([true, true]);
      // Of a private task the assignee sees nothing without it.
      expect((await acme.read(ben, hidden)).assignedTo).toMatchObject({ name: "Ben" });
      expect((await acme.lines(assigned)).at(-1)).toMatchObject({
        type: "request.assigned",
        data: { userId: null, from: ben.userId },
      });
      const told = await acme.sql(
        "SELECT user_id FROM notice WHERE input_request_id = $1 AND withdrawn_at IS NULL ORDER BY user_id",
        [claimed.id],
      );
      expect(told.map((row) => row.user_id)).toEqual([cleo.userId, dora.userId].toSorted());
    } finally {
      await setRole("approver");
    }
  });

  test("a role that changes while an answer is held, which is undone", async () => {
    await acme.stages({ name: "Approvers", approvers: { roles: ["approver"] } });
    await tellEngines();
    const request = await ask();
    await give(request, ben);
    expect((await acme.decide(cleo, request, { holdMs: 60_000 })).body.state).toBe("answered");
    const path = `/api/v1/members/${ben.memberId}`;
    const setRole = async (role: string) =>
      expect((await web.call("PATCH", path, { cookie: ana.cookie, body: { role } })).status).toBe(200);
    await setRole("operator");
    await tellEngines();
    await post(ola, request, "undo");
    await tellEngines();
    expect(await holders(request)).toEqual(NOBODY);
    expect(await waitsFor(dora, request)).toBe(true);
    await setRole("approver");
  });

  test("a claim that has lapsed, which no draft revives when another stage is open", async () => {
    await acme.stages(
      { name: "Finance", approvers: { people: [ben.email, cleo.email] } },
      { name: "CFO", approvers: { people: [ana.email] } },
    );
    const request = await ask();
    const claims = () =>
      acme.sql(
        "SELECT user_id, active_at > now() - interval '1 minute' AS live FROM claim WHERE input_request_id = $1",
        [request.id],
      );
    const draft = () =>
      web.call("PUT", `/api/v1/input-requests/${request.id}/draft`, {
        cookie: ben.cookie,
        body: { content: {}, comment: "hm" },
      });
    await post(ben, request, "claim");
    const passed = (time: string) =>
      acme.sql("UPDATE claim SET active_at = now() - $2::interval WHERE input_request_id = $1", [
        request.id,
        time,
      ]);
    await passed("10 minutes");
    expect((await draft()).status).toBe(204);
    expect(await claims()).toEqual([{ user_id: ben.userId, live: true }]);
    await passed("20 minutes");
    expect((await draft()).status).toBe(204);
    expect(await claims()).toEqual([{ user_id: ben.userId, live: false }]);
    expect((await acme.decide(cleo, request)).status).toBe(202);
    expect(await claims()).toEqual([]);
    expect((await draft()).status).toBe(204);
    expect(await waitsFor(ana, request)).toBe(true);
    expect((await acme.decide(ana, request)).body.state).toBe("answered");
  });

  test("who gets the service account that asked", async () => {
    await acme.stages({ name: "Approvers", approvers: { roles: ["approver"] } });
    const { body: account } = await web.call("POST", "/api/v1/service-accounts", {
      cookie: ana.cookie,
      body: { name: uuidv7(), role: "approver", ownerId: ada.memberId },
    });
    const { body: bot } = await web.call("POST", "/api/v1/api-keys", {
      cookie: ana.cookie,
      body: { name: "bot", role: "approver", serviceAccountId: account.id },
    });
    const taskId = await acme.task();
    await acme.sql("UPDATE task SET requested_by = $1 WHERE id = $2", [
      JSON.stringify({ kind: "key", id: bot.id, name: "bot" }),
      taskId,
    ]);
    const request = { taskId, ...(await acme.ask(taskId)) };
    await give(request, ben);
    await tellEngines();
    expect((await holders(request))[0]).toBe("Ben");
    const given = await web.call("PATCH", `/api/v1/service-accounts/${account.id}`, {
      cookie: ana.cookie,
      body: { ownerId: ben.memberId },
    });
    expect(given.status).toBe(200);
    await tellEngines();
    expect(await holders(request)).toEqual(NOBODY);
    expect([await waitsFor(ben, request), await waitsFor(cleo, request)]).toEqual([false, true]);
  });

  test("an assignment to a stage that is full, or to one by another policy, which the history says", async () => {
    const stages = (...people: Voter[][]) => ({
      rules: [
        {
          name: "All",
          stages: people.map((some, at) => ({
            name: `Stage ${at}`,
            approvers: { people: some.map(({ email }) => email) },
          })),
        },
      ],
    });
    await acme.policy(stages([ben, cleo], [ana, ben]));
    const [request, hidden] = [
      await ask(),
      await ask(undefined, { visibility: "private", requester: ola.userId }),
    ];
    for (const each of [request, hidden]) {
      await give(each, ben);
      expect((await acme.decide(each === hidden ? ben : cleo, each)).status).toBe(202);
    }
    const freed = { type: "request.assigned", data: { userId: null, from: ben.userId } };
    expect(await holders(request)).toEqual(NOBODY);
    expect((await acme.lines(request)).slice(-2)).toMatchObject([freed, { type: "vote.recorded" }]);
    // Of a private task the assignee sees nothing without it.
    expect((await acme.read(ben, hidden)).assignedTo).toMatchObject({ name: "Ben" });

    await give(request, ben);
    await acme.policy(stages([ben, dora]));
    await post(ana, request, "judge-again");
    expect(await holders(request)).toEqual(NOBODY);
    expect((await acme.lines(request)).slice(-3)).toMatchObject([
      { type: "vote.dropped" },
      freed,
      { type: "request.judged_again" },
    ]);
  });

  describe("who counts as one person with a voter", () => {
    beforeEach(async () => {
      await acme.policy(one());
      await acme.sql("UPDATE maker SET invited_by = $1 WHERE user_id = $2", [ben.userId, cleo.userId]);
      await tellEngines();
    });
    afterEach(async () => {
      await acme.sql(
        "UPDATE maker SET invited_by = NULL, vouched_by = NULL, vouched_at = NULL WHERE user_id = $1",
        [cleo.userId],
      );
      await requireNobody();
    });
    const FREED = { type: "request.assigned", data: { userId: null } };

    test("loses it with the vote", async () => {
      await requireSecond();
      const request = await ask();
      await give(request, cleo);
      await post(cleo, request, "claim");
      await acme.sql("UPDATE claim SET active_at = now() - interval '1 hour' WHERE input_request_id = $1", [
        request.id,
      ]);
      expect((await acme.decide(ben, request)).status).toBe(202);
      expect(await holders(request)).toEqual(NOBODY);
      expect(await acme.sql("SELECT FROM claim WHERE input_request_id = $1", [request.id])).toEqual([]);
      expect(await waitsFor(ola, request)).toBe(true);
      expect((await acme.lines(request)).slice(-2)).toMatchObject([
        { ...FREED, data: { from: cleo.userId } },
        { type: "vote.recorded" },
      ]);
    });

    test("when a second person is required after the vote", async () => {
      const request = await ask();
      await give(request, cleo);
      expect((await acme.decide(ben, request)).status).toBe(202);
      await tellEngines();
      expect((await holders(request))[0]).toBe("Cleo");
      await requireSecond();
      await tellEngines();
      expect(await holders(request)).toEqual(NOBODY);
      expect(await waitsFor(ola, request)).toBe(true);
    });

    test("when it is no longer said that they are a person of their own", async () => {
      await requireSecond();
      const vouch = (method: "POST" | "DELETE") =>
        web.call(method, `/api/v1/members/${cleo.memberId}/vouch`, { cookie: ana.cookie });
      expect((await vouch("POST")).status).toBe(200);
      const request = await ask();
      await give(request, cleo);
      expect((await acme.decide(ben, request)).status).toBe(202);
      await tellEngines();
      expect((await holders(request))[0]).toBe("Cleo");
      expect((await vouch("DELETE")).status).toBe(200);
      await tellEngines();
      expect(await holders(request)).toEqual(NOBODY);
      expect(await waitsFor(ola, request)).toBe(true);
    });
  });

  test("a request that is asked again from its first stage on", async () => {
    await acme.stages(
      { name: "Finance", approvers: { people: [ben.email] } },
      { name: "CFO", approvers: { people: [ana.email] } },
    );
    const request = await ask();
    await acme.decide(ben, request);
    await give(request, ana);
    await post(ana, request, "claim");
    expect((await acme.decide(ana, request)).body.state).toBe("answered");
    await fail(request);
    expect((await askAgain(request)).id).toBe(request.id);
    expect(await holders(request)).toEqual(NOBODY);
    expect(await waitsFor(ben, request)).toBe(true);
    expect((await acme.lines(request)).slice(-3).map(({ type }) => type)).toEqual([
      "vote.dropped",
      "request.assigned",
      "request.reopened",
    ]);

    await acme.policy({ rules: [] });
    const free = await ask();
    await give(free, ben);
    await acme.decide(ben, free);
    await fail(free);
    await askAgain(free);
    expect((await holders(free))[0]).toBe("Ben");
  });

  test("another wording that other people decide on, not one on which the same do", async () => {
    byMessage.rules[0]!.stages[0]!.approvers.people = [ana.email];
    byMessage.rules[1]!.stages[0]!.approvers.people = [ben.email, cleo.email];
    await acme.policy(byMessage);
    const request = await ask("small 1");
    await makeRestless(request);
    await give(request, ben);
    await post(ben, request, "claim");
    expect((await askAgain(request, "small 2")).id).toBe(request.id);
    expect(await holders(request)).toEqual(["Ben", "Please", "Ben"]);
    await makeRestless(request);
    expect((await askAgain(request, "big now")).id).toBe(request.id);
    expect(await holders(request)).toEqual(NOBODY);
    expect([await waitsFor(ana, request), await waitsFor(ben, request)]).toEqual([true, false]);
    expect((await acme.lines(request)).slice(-2).map(({ type }) => type)).toEqual([
      "request.assigned",
      "request.reworded",
    ]);

    const free = await ask("whatever");
    await makeRestless(free);
    await give(free, dora);
    await askAgain(free, "whatever else");
    expect(await holders(free)).toEqual(["Dora", "Please", null]);
    await makeRestless(free);
    await askAgain(free, "small after all");
    expect(await holders(free)).toEqual(NOBODY);
    expect(await waitsFor(cleo, free)).toBe(true);

    const hidden = await ask("whatever", { visibility: "private", requester: ola.userId });
    await makeRestless(hidden);
    await give(hidden, dora);
    await askAgain(hidden, "big and private");
    expect((await acme.read(dora, hidden)).assignedTo).toMatchObject({ name: "Dora" });
  });
});
