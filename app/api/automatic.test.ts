/** Answers without a person, by the API: who sets rules live and on what record, who stops them, and what is shown of them. */
import { describe, expect, test } from "vitest";
import { createDatabase } from "@/lib/base/db/db.ts";
import { convertContent } from "@/lib/people/content-sealing/convert.ts";
import { recordDecision } from "@/lib/requests/answers/answer-writes.ts";
import { judgeWaiting } from "@/lib/requests/automatic/judge-waiting.ts";
import { readReceipt } from "@/lib/requests/receipts/receipt-reads.ts";
import { wordsOf } from "@/lib/requests/receipts/words.ts";
import { type VotingOrganization, votingForFile, votingOrganization } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
const { acme, ana, ben, cleo } = votingForFile(web, "acme", { ana: "owner", ben: "approver", cleo: "admin" });

type Who = { cookie: string } | { key: string };

const approve = { action: "accept", content: { decision: "approve" } };
const rule = (more: object = {}) => ({
  ...{ name: "Small", when: "true", answer: approve, mode: "shadow", dailyCap: 50, sample: 0.1 },
  ...more,
});
async function put(who: Who, automatic: object[], more: object = {}) {
  const { version } = (await web.call("GET", "/api/v1/policy", { cookie: ana.cookie })).body;
  const headers = { "if-match": String(version) };
  return web.call("PUT", "/api/v1/policy", { ...who, headers, body: { automatic, ...more } });
}
const acknowledged = (...names: string[]) => ({ acknowledge: names });
const judge = () => judgeWaiting(acme.id, web.db);
const state = async (who: Who = cleo) => (await web.call("GET", "/api/v1/policy/automatic", who)).body;
const list = async (query: string, who: Who = cleo) =>
  (await web.call("GET", `/api/v1/policy/automatic/decisions?${query}`, who)).body;
const asked = async (more: Parameters<VotingOrganization["task"]>[0] = {}) => acme.ask(await acme.task(more));

describe("a policy with automatic rules", () => {
  test.each<[string, object[], string]>([
    ["two of one name", [rule(), rule()], "automatic.1.name"],
    ["a condition that can't be read", [rule({ when: "similar.accepted >" })], "automatic.0.when"],
    ["a variable that is not there", [rule({ when: "similar.denied > 1" })], "automatic.0.when"],
    ["a condition of another type", [rule({ when: "similar.accepted" })], "automatic.0.when"],
    [
      "content of what is declined",
      [rule({ answer: { action: "decline", content: {} } })],
      "automatic.0.answer.content",
    ],
    [
      "content that is no object",
      [rule({ answer: { action: "accept", content: [1] } })],
      "automatic.0.answer.content",
    ],
    ["a share above all", [rule({ sample: 2 })], "automatic.0.sample"],
    ["no cap", [rule({ dailyCap: 0 })], "automatic.0.dailyCap"],
    ["no condition", [rule({ when: "" })], "automatic.0.when"],
  ])("is refused with %s", async (_name, automatic, field) => {
    const reply = await put(cleo, automatic);
    expect([reply.status, reply.body.errors.map((each: { field: string }) => each.field)]).toEqual([
      422,
      [field],
    ]);
  });

  test("is refused with a number that JSON can't say", async () => {
    const answer = { action: "accept", content: { items: [{ total: "1e999" }] } };
    // Text is read as infinity here.
    const body = JSON.stringify({ automatic: [rule({ answer })] }).replace('"1e999"', "1e999");
    const { version } = (await web.call("GET", "/api/v1/policy", ana)).body;
    const headers = { "if-match": String(version) };
    const reply = await web.call("PUT", "/api/v1/policy", { cookie: cleo.cookie, headers, body });
    expect([reply.status, reply.body.errors]).toMatchObject([
      422,
      [{ field: "automatic.0.answer.content.items", message: "A number is too large" }],
    ]);
  });

  test("has tests of them, and says what fails", async () => {
    const small = rule({ when: "similar.accepted >= 5 && similar.declined == 0" });
    const of = (similar: object, automatic: string | null) => ({
      ...{ request: { similar }, expect: { rule: null, automatic } },
    });
    const tests = [
      of({ accepted: 5 }, "Small"),
      of({ accepted: 4 }, null),
      of({ accepted: 5, declined: 1 }, "Small"),
    ];
    const reply = await put(cleo, [small], { tests });
    expect(reply.body.errors).toEqual([
      {
        field: "tests.2.expect.automatic",
        message: "Expected an answer by “Small”, got no rule",
      },
    ]);
    expect((await put(cleo, [small], { tests: tests.slice(0, 2) })).status).toBe(200);
  });

  test("shows them, and the history says what changed", async () => {
    // The cap is what it is by default.
    const { dailyCap: _, ...shown } = rule();
    expect((await put(cleo, [rule()])).body.policy.automatic).toEqual([shown]);
    await put(cleo, [rule({ dailyCap: 10 })]);
    const [{ data }] = await acme.sql(
      "SELECT data FROM event WHERE type = 'policy.changed' ORDER BY seq DESC LIMIT 1",
    );
    expect(data.automatic).toEqual({
      added: [],
      removed: [],
      changed: [{ name: "Small", from: { dailyCap: 50 }, to: { dailyCap: 10 } }],
    });
    expect((await put(cleo, [])).body.policy).not.toHaveProperty("acknowledge");
  });
});

describe("going live", () => {
  test("is an owner's, in person", async () => {
    await put(cleo, [rule()]);
    const live = [rule({ mode: "live" })];
    for (const who of [cleo, { key: await web.key(acme.id, "owner") }]) {
      const reply = await put(who, live, acknowledged("Small"));
      expect([reply.status, reply.body.code]).toEqual([403, "forbidden"]);
    }
    await acme.sql("UPDATE session SET factor_at = now() - interval '6 minutes' WHERE user_id = $1", [
      ana.userId,
    ]);
    expect((await put(ana, live, acknowledged("Small"))).body.code).toBe("step_up_required");
    await acme.sql("UPDATE session SET factor_at = 'infinity'");
    expect((await put(ana, live, acknowledged("Small"))).status).toBe(200);
    // Back is any admin's.
    expect((await put(cleo, [rule()])).status).toBe(200);
  });

  test("needs 20 decisions of people, all alike, or the rule's name", async () => {
    const live = [rule({ name: "Other" }), rule({ mode: "live", when: "true && true" })];
    const refused = await put(ana, live, acknowledged("Other"));
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "automatic.1.mode"]);
    await put(cleo, [rule({ when: "true && true" })]);
    for (let at = 0; at < 20; at++) await asked();
    await judge();
    const shadowed = await acme.sql(
      "SELECT input_request_id AS id FROM automatic_decision WHERE state = 'shadow'",
    );
    expect(shadowed).toHaveLength(20);
    const decide = async ({ id }: { id: string }, decision = "approve") => {
      const { questionHash } = await acme.read(ben, { id });
      await acme.decide(ben, { id, questionHash }, { content: { decision } });
    };
    for (const each of shadowed.slice(1)) await decide(each);
    expect((await put(ana, live)).status).toBe(422);
    await decide(shadowed[0]);
    expect((await put(ana, live)).status).toBe(200);
    // Another condition, and another answer, have a record of their own.
    for (const more of [{ when: "true || false" }, { answer: { action: "decline" } }])
      expect((await put(ana, [live[0]!, rule({ mode: "live", ...more })])).status).toBe(422);
    expect(await state()).toMatchObject({
      rules: [
        { name: "Other", mode: "shadow", shadowed: 0 },
        { name: "Small", mode: "live", shadowed: 20, agreed: 20, disagreed: 0, undecided: 0 },
      ],
    });
    // One that differs.
    await put(cleo, [rule({ when: "true && true" })]);
    const odd = await asked();
    await judge();
    await acme.decide(ben, odd, { content: { decision: "reject" } });
    expect((await put(ana, live)).body.errors[0].message).toMatch(
      /So far they decided 21, 1 of them otherwise/,
    );
    await put(cleo, []);
  });

  test.each<[string, object, boolean]>([
    ["a higher cap", { dailyCap: 51 }, false],
    ["a lower cap", { dailyCap: 49 }, true],
    ["a smaller sample", { sample: 0.05 }, false],
    ["a larger sample", { sample: 0.2 }, true],
    ["another condition", { when: "1 == 1" }, false],
    ["another answer", { answer: { action: "decline" } }, false],
    ["another name", { name: "Renamed" }, false],
    ["shadow", { mode: "shadow" }, true],
    ["off", { mode: "off" }, true],
  ])("counts %s of what is live too", async (_name, more, isAdmins) => {
    expect((await put(ana, [rule({ mode: "live" })], acknowledged("Small"))).status).toBe(200);
    expect(
      (await put(cleo, [rule({ mode: "live", ...more })], acknowledged("Small", "Renamed"))).status,
    ).toBe(isAdmins ? 200 : 403);
    await put(cleo, []);
  });

  test("counts the people of groups that the condition may ask for", async () => {
    const when = '"finance" in requester.groups';
    const live = [rule({ mode: "live", when })];
    await put(ana, live, { groups: { finance: [ben.email] }, ...acknowledged("Small") });
    expect((await put(cleo, live, { groups: { finance: [ben.email, cleo.email] } })).status).toBe(403);
    await put(cleo, []);
  });

  test("is what taking a rule away is that declines beside one that accepts", async () => {
    const no = rule({ name: "No", when: "false", answer: { action: "decline" }, mode: "live" });
    await put(ana, [rule({ mode: "live" }), no], acknowledged("Small", "No"));
    for (const rest of [[], [{ ...no, mode: "off" }]])
      expect((await put(cleo, [rule({ mode: "live" }), ...rest])).status).toBe(403);
    expect((await put(cleo, [rule(), { ...no, mode: "off" }])).status).toBe(200);
    await put(cleo, []);
  });

  test("with a second admin is proposed by an owner, and both answer for the rule", async () => {
    const twoPerson = (twoPersonPolicy: boolean) =>
      web.call("PATCH", "/api/v1/organization", { cookie: ana.cookie, body: { twoPersonPolicy } });
    expect((await twoPerson(true)).status).toBe(200);
    const live = [rule({ mode: "live", sample: 0 })];
    expect((await put(cleo, live, acknowledged("Small"))).status).toBe(403);
    expect((await put(ana, live)).status).toBe(422);
    const proposed = await put(ana, live, acknowledged("Small"));
    expect(proposed.status).toBe(202);
    const { items } = (await web.call("GET", "/api/v1/policy/proposals", cleo)).body;
    expect(items).toMatchObject([
      { id: proposed.body.proposalId, acknowledged: [{ name: "Small", agreed: 0, disagreed: 0 }] },
    ]);
    const approved = await web.call(
      "POST",
      `/api/v1/policy/proposals/${proposed.body.proposalId}/approve`,
      cleo,
    );
    expect([approved.status, approved.body.policy.automatic[0].mode]).toEqual([200, "live"]);
    const requests = [];
    for (const requester of [ana.userId, cleo.userId, ben.userId]) requests.push(await asked({ requester }));
    await judge();
    const states = await Promise.all(requests.map(async (request) => (await acme.read(ben, request)).state));
    expect(states).toEqual(["open", "open", "answered"]);
    await twoPerson(false);
    const [end] = (await web.call("GET", "/api/v1/policy/proposals", cleo)).body.items;
    expect((await web.call("POST", `/api/v1/policy/proposals/${end.id}/approve`, cleo)).status).toBe(200);
    await put(cleo, []);
  });
});

describe("a proposal", () => {
  test("sets no rule live any more once people decided otherwise, or its proposer is no owner", async () => {
    const its = await votingOrganization(web, "proposing");
    const [owner, dana] = [await its.person("Ana", "owner"), await its.person("Dana", "owner")];
    const [approver, admin] = [await its.person("Ben", "approver"), await its.person("Cleo", "admin")];
    const save = async (who: Who, automatic: object[], more: object = {}) => {
      const { version } = (await web.call("GET", "/api/v1/policy", owner)).body;
      const headers = { "if-match": String(version) };
      return web.call("PUT", "/api/v1/policy", { ...who, headers, body: { automatic, ...more } });
    };
    const approving = ({ body }: { body: { proposalId: string } }) =>
      web.call("POST", `/api/v1/policy/proposals/${body.proposalId}/approve`, admin);
    await save(admin, [rule()]);
    const requests = [];
    for (let at = 0; at < 21; at++) requests.push(await its.ask(await its.task()));
    await judgeWaiting(its.id, web.db);
    const last = requests.pop()!;
    for (const request of requests) await its.decide(approver, request);
    const body = { twoPersonPolicy: true };
    expect((await web.call("PATCH", "/api/v1/organization", { cookie: owner.cookie, body })).status).toBe(
      200,
    );
    const live = [rule({ mode: "live" })];
    const unproven = await save(owner, live);
    const named = await save(dana, live, acknowledged("Small"));
    expect([unproven.status, named.status]).toEqual([202, 202]);
    await its.decide(approver, last, { content: { decision: "reject" } });
    const demote = (role: string) =>
      its.sql("UPDATE membership SET role = $1 WHERE user_id = $2", [role, dana.userId]);
    await demote("admin");
    for (const [proposal, words] of [
      [unproven, /latest decisions differ/],
      [named, /Dana is no longer an owner/],
    ] as const) {
      const refused = await approving(proposal);
      expect([refused.status, refused.body.code]).toEqual([409, "version_changed"]);
      expect(refused.body.detail).toMatch(words);
    }
    expect((await web.call("GET", "/api/v1/policy", owner)).body.policy.automatic[0].mode).toBe("shadow");
    await demote("owner");
    expect((await approving(named)).body.policy.automatic[0].mode).toBe("live");
  });
});

describe("what is shown", () => {
  test("of each rule, and of each decision beside what people did", async () => {
    await acme.sql("UPDATE organization SET undo_window_ms = 60000");
    await put(ana, [rule({ name: "Shown", mode: "live", sample: 1 })], acknowledged("Shown"));
    const [same, other] = [await asked(), await asked()];
    await judge();
    await acme.decide(ben, same);
    await acme.decide(ben, other, { content: { decision: "reject" } });
    await put(ana, [rule({ name: "Shown", mode: "live", sample: 0, when: "2 > 1" })], acknowledged("Shown"));
    const answered = await asked();
    await judge();
    const [shown] = (await state()).rules;
    expect(shown).toMatchObject({
      ...{ name: "Shown", mode: "live", answeredToday: 1, dailyCap: 50, answered: 1, undone: 0, failed: 0 },
      ...{ shadowed: 0, agreed: 0, disagreed: 0, undecided: 0 },
      kept: { sample: 2, cap: 0, stopped: 0 },
    });
    const outcome = async (name: string) =>
      (await list(`rule=Shown&outcome=${name}`)).items.map(({ id }: { id: string }) => id);
    expect(await outcome("agreed")).toEqual([same.id]);
    expect(await outcome("disagreed")).toEqual([other.id]);
    expect(await outcome("answered")).toEqual([answered.id]);
    expect(await outcome("failed")).toEqual([]);
    const { items } = await list("rule=Shown");
    expect(items.map(({ id }: { id: string }) => id)).toEqual([answered.id, other.id, same.id]);
    expect(items[1]).toMatchObject({
      task: { label: "INV-100" },
      server: { name: "Finance ERP" },
      state: "kept",
      reason: "sample",
      rule: { name: "Shown" },
      said: { ...approve, words: "Approved" },
      people: { action: "accept", content: { decision: "reject" }, by: { kind: "member", name: "Ben" } },
      agreed: false,
    });
    const first = await list("rule=Shown&limit=2");
    const rest = await list(`rule=Shown&limit=2&cursor=${first.nextCursor}`);
    expect([first.items.length, rest.items.map(({ id }: { id: string }) => id), rest.nextCursor]).toEqual([
      ...[2, [same.id], null],
    ]);
    // The task becomes private: who may not see it, sees nothing of it.
    await acme.sql(
      "UPDATE task SET visibility = 'private' WHERE id = (SELECT task_id FROM input_request WHERE id = $1)",
      [other.id],
    );
    expect(await outcome("disagreed")).toEqual([]);
  });

  test("is an admin's, and nothing of another organization", async () => {
    for (const path of ["/api/v1/policy/automatic", "/api/v1/policy/automatic/decisions"])
      expect((await web.call("GET", path, ben)).status).toBe(403);
    const globex = await votingOrganization(web, "globex");
    const admin = await globex.person("Gil", "admin");
    expect([await state(admin), (await list("", admin)).items]).toMatchObject([
      { stopped: null, rules: [] },
      [],
    ]);
    expect((await list("cursor=nonsense")).code).toBe("invalid_input");
  });

  test("in a receipt: the rule, and no sign-in", async () => {
    const [{ id }] = (await list("rule=Shown&outcome=answered")).items;
    const principal = {
      ...{ organizationId: acme.id, userId: cleo.userId, role: "admin" as const },
      actor: { kind: "member" as const, id: cleo.userId, name: "Cleo" },
    };
    const receipt = await web.db.withOrganization(acme.id, (tx) => readReceipt(tx, principal, id));
    const [answer] = receipt.answers;
    expect(wordsOf(receipt).find((line) => line.includes("answered"))).toMatch(
      /The automatic rule Shown \(version \d+\) answered “accept” \(a form was sent; the receipt does not tell what it says\) at .*\. No person decided\./,
    );
    expect(answer).toMatchObject({
      by: { kind: "rule", name: expect.stringMatching(/^Shown \(version \d+\)$/) },
      action: "accept",
      signedIn: null,
      delivery: { reached: "nothing" },
    });
  });
});

describe("stopping", () => {
  const stop = (who: Who) => web.call("POST", "/api/v1/policy/automatic/stop", who);
  const resume = (who: Who) => web.call("POST", "/api/v1/policy/automatic/resume", who);

  test("is any admin's, without showing that it is them, also of a stopped one", async () => {
    await acme.sql("UPDATE session SET factor_at = now() - interval '6 minutes'");
    const reply = await stop(cleo);
    await acme.sql("UPDATE session SET factor_at = 'infinity'");
    expect([reply.status, reply.body]).toEqual([200, { takenBack: 2 }]);
    expect((await state()).stopped).toMatchObject({ by: { kind: "member", name: "Cleo" } });
    expect((await stop({ key: await web.key(acme.id, "admin") })).body).toEqual({ takenBack: 0 });
    expect((await state()).stopped.by.name).toBe("Cleo");
    for (const who of [ben, { key: await web.key(acme.id, "operator") }])
      expect((await stop(who)).status).toBe(403);
    const types = await acme.sql(
      "SELECT type, data FROM event WHERE type LIKE 'policy.automatic%' OR type = 'answer.undone' ORDER BY seq",
    );
    expect(types).toEqual([
      { type: "answer.undone", data: { reason: "automatic_stopped" } },
      { type: "answer.undone", data: { reason: "automatic_stopped" } },
      { type: "policy.automatic_stopped", data: { takenBack: 2 } },
    ]);
  });

  test("ends by an owner in person", async () => {
    for (const who of [cleo, { key: await web.key(acme.id, "owner") }])
      expect((await resume(who)).status).toBe(403);
    expect((await resume(ana)).status).toBe(204);
    expect((await state()).stopped).toBeNull();
    expect((await resume(ana)).status).toBe(204);
    const lines = await acme.sql("SELECT FROM event WHERE type = 'policy.automatic_resumed'");
    expect(lines).toHaveLength(1);
  });

  test("of another organization changes nothing here", async () => {
    const initech = await votingOrganization(web, "initech");
    const admin = await initech.person("Ina", "admin");
    expect((await stop(admin)).body).toEqual({ takenBack: 0 });
    expect((await state()).stopped).toBeNull();
  });
});

describe("the record", () => {
  test("is not made of answers that were never sent, since their tasks were cancelled", async () => {
    const its = await votingOrganization(web, "cancelling");
    const [owner, approver] = [await its.person("Ana", "owner"), await its.person("Ben", "approver")];
    await its.policy({ automatic: [rule()] });
    for (const [decision, agreed] of [
      ["approve", null],
      ["reject", false],
    ] as const) {
      const task = await its.task();
      const request = await its.ask(task);
      await judgeWaiting(its.id, web.db);
      await its.decide(approver, request, { content: { decision }, holdMs: 60_000 });
      const noted = () =>
        its.sql("SELECT agreed FROM automatic_decision WHERE input_request_id = $1", [request.id]);
      expect(await noted()).toEqual([{ agreed: decision === "approve" }]);
      const cancelled = await web.call("POST", `/api/v1/tasks/${task}/cancel`, {
        cookie: owner.cookie,
        body: {},
      });
      expect(cancelled.status).toBeLessThan(300);
      expect((await its.read(owner, request)).state).toBe("withdrawn");
      expect(await noted()).toEqual([{ agreed }]);
    }
  });
});

describe("content that can't be opened", () => {
  let made = 0;
  /** An organization with Ana and Ben, in which content is sealed from here on, or no more. */
  async function sealing() {
    const its = await votingOrganization(web, `sealing-${++made}`);
    const owner = await its.person("Ana", "owner");
    const approver = await its.person("Ben", "approver");
    const engine = createDatabase(web.database.engineUrl, { connections: 2 });
    const seal = async (sealed: boolean) => {
      const path = "/api/v1/organization/content-sealing";
      expect((await web.call("PUT", path, { cookie: owner.cookie, body: { sealed } })).status).toBe(200);
      for (;;) {
        await its.sql("UPDATE content_sealing SET look_at = now() - interval '1 second'");
        while (await convertContent(its.id, engine));
        if ((await web.call("GET", path, owner)).body.progress === null) return;
      }
    };
    return { its, owner, approver, seal, end: () => engine.close() };
  }

  test("keeps nobody from answering what is plain by now", async () => {
    const { its, approver, seal, end } = await sealing();
    await seal(true);
    await seal(false);
    await end();
    const request = await its.ask(await its.task());
    await its.sql("UPDATE organization_key SET sealed_key = 'v1.test.AAAA' WHERE organization_id = $1", [
      its.id,
    ]);
    const { userId } = approver;
    const principal = {
      ...{ organizationId: its.id, userId, role: "approver" as const },
      actor: { kind: "member" as const, id: userId, name: "Ben" },
    };
    // By a process that has not read the organization's keys yet.
    const other = createDatabase(web.database.appUrl, { connections: 2 });
    await other.withOrganization(its.id, (tx) =>
      recordDecision(tx, principal, request.id, {
        ...{ action: "accept", content: { decision: "approve" } },
        questionHash: request.questionHash,
      }),
    );
    await other.close();
    expect(await its.answers(request)).toHaveLength(1);
  });

  test("leaves the list of decisions with the others", async () => {
    const { its, owner, approver, seal, end } = await sealing();
    await seal(true);
    await end();
    const headers = { "if-match": "0" };
    const policy = { automatic: [rule({ name: "Sealed" })] };
    const saved = await web.call("PUT", "/api/v1/policy", { cookie: owner.cookie, headers, body: policy });
    expect(saved.status).toBe(200);
    const requests = [await its.ask(await its.task()), await its.ask(await its.task())];
    await judgeWaiting(its.id, web.db);
    for (const request of requests) await its.decide(approver, request, { content: { decision: "reject" } });
    const damage = async (table: string, column: string, key: string, id: string) => {
      const [row] = await its.sql(`SELECT ${column} AS value FROM ${table} WHERE ${key} = $1`, [id]);
      const value = { ...row.value, sealed: `${row.value.sealed.slice(0, -6)}AAAAAA` };
      await its.sql(`UPDATE ${table} SET ${column} = $2 WHERE ${key} = $1`, [id, JSON.stringify(value)]);
    };
    const [one, two] = [requests[0]!, requests[1]!];
    await damage("input_request", "form", "id", one.id);
    await damage("answer", "content", "input_request_id", one.id);
    const { items } = await list("", owner);
    expect(items).toMatchObject([
      { id: two.id, agreed: false, people: { content: { decision: "reject" }, words: "Rejected" } },
      { id: one.id, agreed: false, people: { action: "accept", content: null } },
    ]);
  });
});
