/** The Agent Approval Protocol on the real routes, with a real engine that dies. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "@/test/engine-process.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile({ INTRAY_ALLOW_HOSTS: "127.0.0.1" });
let engine: EngineProcess;
let acme: string;
let key: string;
let other: string;
let foreign: string;
let ben: { userId: string; cookie: string };

beforeAll(async () => {
  acme = await web.organization("acme-aap");
  key = await web.key(acme, "operator");
  other = await web.key(acme, "owner");
  foreign = await web.key(await web.organization("globex-aap"), "owner");
  ben = await web.member(acme, "Ben", "approver");
  engine = await startEngineProcess(web.engineEnvironment);
});
afterAll(async () => {
  await engine?.kill();
});

const A = "/api/aap/v1/requests";
const REFUND = {
  tool: "issue_refund",
  arguments: { payment_id: "payment_123", amount: 4900, currency: "GBP", note: null, lines: [{ n: 1.5 }] },
  timeout: "30m",
};

const withKey = (idempotencyKey: string | null) =>
  idempotencyKey === null ? {} : { headers: { "idempotency-key": idempotencyKey } };
/** `body`: an object, or a text as it is to be sent. */
const make = (body: unknown = REFUND, idempotencyKey: string | null = randomUUID(), as = key) =>
  web.call("POST", A, { key: as, body, ...withKey(idempotencyKey) });
const made = async (body: unknown = REFUND): Promise<string> => {
  const { status, body: request } = await make(body);
  expect([status, request.error]).toEqual([201, undefined]);
  return request.id;
};
const read = (id: string, query = "", as = key) => web.call("GET", `${A}/${id}${query}`, { key: as });
const cancel = (id: string, as = key) => web.call("DELETE", `${A}/${id}`, { key: as });
const consume = (id: string, idempotencyKey: string | null = randomUUID(), as = key) =>
  web.call("POST", `${A}/${id}/consume`, { key: as, ...withKey(idempotencyKey) });
const report = (id: string, body: unknown, as = key) =>
  web.call("POST", `${A}/${id}/outcome`, { key: as, body });
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
];

async function decide(id: string, answer: object = { action: "accept", content: {} }, as = ben) {
  const { questionHash } = (await web.call("GET", `/api/v1/input-requests/${id}`, as)).body;
  const path = `/api/v1/input-requests/${id}/answer`;
  return web.call("POST", path, { ...as, body: { ...answer, questionHash } });
}
async function decided(id: string, answer?: object) {
  expect((await decide(id, answer)).status).toBe(202);
  return (await read(id, "?wait=30s")).body;
}
const eventsOf = (id: string, type: string) =>
  web.db.withOrganization(acme, (tx) =>
    tx.event.findMany({ where: { organizationId: acme, inputRequestId: id, type } }),
  );

describe("a request", () => {
  test("is the call as it was sent, and stands in the inbox as an approval of that call", async () => {
    const whole = {
      ...REFUND,
      server: "payments",
      agent_reasoning: "The customer was charged twice.",
      context: { framework: "langgraph", call_id: "t:1", resume: { framework: "langgraph", thread_id: "t" } },
    };
    const { status, headers, body } = await make(whole);
    expect(status).toBe(201);
    const { id, created_at, deadline_at, ...rest } = body;
    expect(rest).toEqual({ ...whole, status: "pending" });
    expect(Date.parse(deadline_at) - Date.parse(created_at)).toBe(30 * 60_000);
    expect(headers.get("x-request-id")).toEqual(expect.any(String));
    expect((await read(id)).body).toEqual(body);

    const card = (await web.call("GET", `/api/v1/input-requests/${id}`, ben)).body;
    expect(card.message).toBe("May the API key operator use the tool “issue_refund” of “payments”?");
    expect(card.arguments).toMatchObject({
      details: { agentReasoning: whole.agent_reasoning, context: whole.context },
      subject: { tool: "issue_refund", server: "payments", arguments: whole.arguments },
    });
    const plain = (await web.call("GET", `/api/v1/requests/${id}`, { key })).body;
    expect(plain).toMatchObject({ kind: "approval", state: "waiting", subject: { tool: "issue_refund" } });
  });

  test("is made once for a key of its caller, in whatever order its fields come", async () => {
    const first = await make(REFUND, "call-1");
    const { tool, timeout, arguments: args } = REFUND;
    const again = await make(
      { timeout, arguments: Object.fromEntries(Object.entries(args).reverse()), tool },
      "call-1",
    );
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(codeOf(await make({ ...REFUND, timeout: "31m" }, "call-1"))).toEqual([
      409,
      "idempotency_conflict",
    ]);
    const others = await make(REFUND, "call-1", other);
    expect([others.status, others.body.id === first.body.id]).toEqual([201, false]);
    const two = await Promise.all([make(REFUND, "call-2"), make(REFUND, "call-2")]);
    expect(two.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(new Set(two.map(({ body }) => body.id)).size).toBe(1);
    expect(codeOf(await make(REFUND, null))).toEqual([400, "missing_idempotency_key"]);
    expect(codeOf(await make(REFUND, "x".repeat(256)))).toEqual([400, "invalid_input"]);
  });

  test("keeps its place in time however long it may wait", async () => {
    const { body } = await make({ ...REFUND, timeout: "99999999999999999h" });
    const days = (Date.parse(body.deadline_at) - Date.parse(body.created_at)) / (24 * 3600_000);
    expect([body.timeout, days]).toEqual(["99999999999999999h", 365]);
  });

  test("is there for the caller that made it alone, and only if it came this way", async () => {
    const id = await made();
    for (const as of [other, foreign])
      for (const answer of [
        await read(id, "?wait=1s", as),
        await cancel(id, as),
        await consume(id, "c", as),
        await report(id, { status: "failed" }, as),
      ])
        expect(codeOf(answer)).toEqual([404, "not_found"]);
    expect((await read(id)).body.status).toBe("pending");
    const subject = { tool: "t", argumentsDigest: "b".repeat(64) };
    const plain = await web.call("POST", "/api/v1/requests", {
      key,
      body: {
        kind: "approval",
        message: "May I?",
        subject,
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
      },
    });
    expect(codeOf(await read(plain.body.id))).toEqual([404, "not_found"]);
    expect(codeOf(await consume(plain.body.id))).toEqual([404, "not_found"]);
    expect(codeOf(await read("not-an-id"))).toEqual([404, "not_found"]);
  });
});

describe("refused are", () => {
  const text = (args: string, more = "") => `{"tool":"t","timeout":"1m","arguments":${args}${more}}`;
  const OK = text("{}");

  test("no other bodies than these", async () => {
    expect((await make(OK)).status).toBe(201);
    // Numbers that come back as the same number, whatever they look like.
    const numbers = await make(
      text('{"a":1.50,"b":1E2,"c":-0,"d":0.1,"e":9007199254740992,"f":12345678901234567000}'),
    );
    expect(numbers.status).toBe(201);
    expect(numbers.body.arguments).toEqual({
      a: 1.5,
      b: 100,
      c: 0,
      d: 0.1,
      e: 2 ** 53,
      f: 12345678901234567000,
    });
    const spoken = await make(text('{"emoji":"\\ud83d\\ude00","path":"C:\\\\u0000","zero":""}'));
    expect([spoken.status, spoken.body.arguments]).toEqual([
      201,
      { emoji: "😀", path: "C:\\u0000", zero: "" },
    ]);
  });

  test.each<[string, string, string]>([
    ["a field twice", '{"tool":"t","tool":"u","timeout":"1m","arguments":{}}', "invalid_json"],
    ["an argument twice", text('{"to":"a","to":"b"}'), "invalid_json"],
    ["an argument twice, once escaped", text('{"to":"a","\\u0074o":"b"}'), "invalid_json"],
    ["an argument twice, far inside", text('{"x":[{"y":{"z":1,"z":1}}]}'), "invalid_json"],
    ["an argument that readers drop", text('{"__proto__":{"admin":true}}'), "invalid_json"],
    ["a number beyond doubles", text('{"amount":1e400}'), "invalid_json"],
    ["a number between two doubles", text('{"id":9007199254740993}'), "invalid_json"],
    ["a number with more digits than doubles have", text('{"x":0.12345678901234567891}'), "invalid_json"],
    ["no number", text('{"x":NaN}'), "invalid_json"],
    ["a NUL", text('{"x":"a\\u0000b"}'), "invalid_json"],
    ["half a character", text('{"x":"\\ud83d"}'), "invalid_json"],
    ["half a character in a name", text('{"\\udc00":1}'), "invalid_json"],
    ["an unknown field", text("{}", ',"callback":"https://evil.example"'), "invalid_input"],
    ["a null for no reasoning", text("{}", ',"agent_reasoning":null'), "invalid_input"],
    ["a null for no server", text("{}", ',"server":null'), "invalid_input"],
    ["a null for no context", text("{}", ',"context":null'), "invalid_input"],
    ["a null for the arguments", text("null"), "invalid_input"],
    ["a list of arguments", text("[]"), "invalid_input"],
    ["a tool without a name", '{"tool":"","timeout":"1m","arguments":{}}', "invalid_input"],
    ["a number for a tool", '{"tool":1,"timeout":"1m","arguments":{}}', "invalid_input"],
    ["no time", '{"tool":"t","arguments":{}}', "invalid_input"],
    ["no time at all", '{"tool":"t","timeout":"0s","arguments":{}}', "invalid_input"],
    ["a time in days", '{"tool":"t","timeout":"1d","arguments":{}}', "invalid_input"],
    ["a time with a blank", '{"tool":"t","timeout":"1 m","arguments":{}}', "invalid_input"],
    ["a time in numbers", '{"tool":"t","timeout":60,"arguments":{}}', "invalid_input"],
    ["more than people read", text(JSON.stringify({ x: "x".repeat(70_000) })), "invalid_input"],
    ["a list", "[]", "invalid_input"],
    ["nothing", "", "invalid_json"],
    ["half a body", '{"tool":"t",', "invalid_json"],
  ])("%s", async (_what, body, code) => {
    const before = await web.database.sql("SELECT count(*) FROM task");
    const refused = await make(body);
    expect(codeOf(refused)).toEqual([400, code]);
    const { error } = refused.body;
    expect(error).toEqual({
      ...{ type: "invalid_request", code, message: expect.stringMatching(/\S/) },
      ...(error.param !== undefined && { param: expect.any(String) }),
      request_id: refused.headers.get("x-request-id"),
    });
    expect(await web.database.sql("SELECT count(*) FROM task")).toEqual(before);
  });

  test("what the credential is not for, each in the protocol's words", async () => {
    const viewer = await web.key(acme, "viewer");
    expect((await make(REFUND, "k", viewer)).body.error).toMatchObject({
      type: "authorization",
      code: "forbidden",
    });
    const stranger = await make(REFUND, "k", "itk_unknown");
    expect(stranger.body.error).toMatchObject({ type: "authentication", code: "unauthenticated" });
    expect([stranger.status, stranger.headers.get("content-type")]).toEqual([401, "application/json"]);
    const form = await web.call("POST", A, { key, body: "{}", headers: { "content-type": "text/plain" } });
    expect(codeOf(form)).toEqual([415, "unsupported_media_type"]);
    for (const wait of ["30", "0s", "-1s", "1.5s", "30s30s", "s"])
      expect(codeOf(await read(randomUUID(), `?wait=${wait}`))).toEqual([400, "invalid_input"]);
  });
});

describe("a decision", () => {
  test("that approves is told to who waits, with its end, and is used once of many at once", async () => {
    const id = await made();
    // A wait may be over before the engine has started again.
    const told = (wait: string) =>
      until("the decision is told", async () => {
        const { body } = await read(id, `?wait=${wait}`);
        return body.status !== "pending" && body;
      });
    const waiting = Promise.all([told("30s"), told("24h")]);
    expect(codeOf(await consume(id))).toEqual([409, "not_approved"]);
    // Nobody can change the call: the program would make another one.
    const changed = { action: "accept", content: { arguments: { ...REFUND.arguments, amount: 1 } } };
    expect((await decide(id, changed)).status).toBe(422);
    await engine.kill();
    expect((await decide(id, { action: "accept", content: {}, comment: "Charged twice" })).status).toBe(202);
    // It can still be undone.
    expect((await read(id)).body.status).toBe("pending");
    expect(codeOf(await consume(id))).toEqual([409, "not_approved"]);
    engine = await startEngineProcess(web.engineEnvironment);
    for (const body of await waiting) {
      expect(body).toMatchObject({
        status: "approved",
        decision: { status: "approved", note: "Charged twice" },
      });
      expect(body).not.toHaveProperty("consumption");
      expect(body.decision.expires_at).toBe(body.deadline_at);
    }
    const all = await Promise.all(Array.from({ length: 5 }, () => consume(id)));
    expect(all.map(codeOf).sort()).toEqual([[200, undefined], ...Array(4).fill([409, "already_consumed"])]);
    expect(await eventsOf(id, "request.used")).toHaveLength(1);
    expect(all.find(({ status }) => status === 200)?.body).toEqual((await read(id)).body);
    expect((await read(id)).body.consumption).toEqual({ consumed_at: expect.any(String) });
  });

  test("is used once by a call that is repeated with its key, and by no other", async () => {
    const id = await made();
    await decided(id);
    expect(codeOf(await consume(id, null))).toEqual([400, "missing_idempotency_key"]);
    const same = await Promise.all([consume(id, "run-1"), consume(id, "run-1"), consume(id, "run-1")]);
    expect(same.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(same.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(codeOf(await consume(id, "run-2"))).toEqual([409, "already_consumed"]);
    // The other door leads to the same use.
    const { argumentsDigest } = (await web.call("GET", `/api/v1/requests/${id}`, { key })).body.subject;
    const plain = await web.call("POST", `/api/v1/requests/${id}/consume`, {
      key,
      body: { argumentsDigest },
    });
    expect(plain.body.reason).toBe("already_consumed");
  });

  test.each([
    ["declines", { action: "decline", comment: "Not on Friday" }, "Not on Friday"],
    ["declines without a word", { action: "decline" }, undefined],
    [
      "asks to revise",
      { action: "decline", revise: true, comment: "Refund half" },
      "Change the call and ask again: Refund half",
    ],
  ])("that %s is no approval", async (_what, answer, note) => {
    const id = await made();
    const request = await decided(id, answer);
    expect(request).toMatchObject({ status: "denied", decision: { status: "denied" } });
    expect(request.decision.note).toBe(note);
    expect(request.decision).not.toHaveProperty("expires_at");
    expect(codeOf(await consume(id))).toEqual([409, "not_approved"]);
    expect(codeOf(await cancel(id))).toEqual([409, "already_terminal"]);
    expect(codeOf(await report(id, { status: "failed" }))).toEqual([409, "not_consumed"]);
    expect((await read(id)).body).toEqual(request);
  });

  test("that nobody makes in time is no approval, and comes to nothing afterwards", async () => {
    const id = await made({ ...REFUND, timeout: "1s" });
    const { body } = await read(id, "?wait=30s");
    expect(body).toMatchObject({ status: "expired", decision: { status: "expired" } });
    expect(Date.parse(body.decision.decided_at)).toBeGreaterThanOrEqual(Date.parse(body.deadline_at));
    expect((await decide(id)).status).toBeGreaterThanOrEqual(400);
    expect(codeOf(await consume(id))).toEqual([409, "not_approved"]);
    expect(codeOf(await cancel(id))).toEqual([409, "already_terminal"]);
  });

  test("is waited for no longer than was said", async () => {
    const id = await made();
    const began = performance.now();
    const { status, body } = await read(id, "?wait=1s");
    expect([status, body.status]).toEqual([200, "pending"]);
    expect(performance.now() - began).toBeGreaterThan(900);
  });

  test("is not needed any more once the caller withdraws the request, also where an answer could still be undone", async () => {
    const [id, held] = [await made(), await made()];
    const waiting = read(id, "?wait=30s");
    const first = await cancel(id);
    expect(first.body).toMatchObject({ status: "cancelled", decision: { status: "cancelled" } });
    expect((await waiting).body).toEqual(first.body);
    const again = await cancel(id);
    expect([again.status, again.body]).toEqual([200, first.body]);
    await engine.kill();
    expect((await decide(held)).status).toBe(202);
    expect((await cancel(held)).body.status).toBe("cancelled");
    engine = await startEngineProcess(web.engineEnvironment);
    expect((await decide(id)).status).toBeGreaterThanOrEqual(400);
    for (const each of [id, held]) {
      expect(codeOf(await consume(each))).toEqual([409, "not_approved"]);
      expect((await read(each)).body.status).toBe("cancelled");
    }
  });

  test("is made by the people whom the policy names, by what the call is", async () => {
    const policed = await web.organization("acme-aap-policy");
    const [owner, approver] = [
      await web.member(policed, "Olga", "owner"),
      await web.member(policed, "Abe", "approver"),
    ];
    const saved = await web.call("PUT", "/api/v1/policy", {
      ...owner,
      headers: { "if-match": "0" },
      body: {
        rules: [
          {
            name: "Refunds",
            when: 'arguments.subject.tool == "issue_refund" && arguments.subject.arguments.amount > 1000',
            stages: [{ name: "Owners", approvers: { roles: ["owner"] } }],
          },
        ],
      },
    });
    expect(saved.status).toBe(200);
    const asking = await web.key(policed, "operator");
    const { id } = (await make(REFUND, "policed", asking)).body;
    const refused = await decide(id, undefined, approver);
    expect([refused.status, refused.body.code]).toEqual([403, "not_an_approver"]);
    expect((await read(id, "", asking)).body.status).toBe("pending");
    expect((await decide(id, undefined, owner)).status).toBe(202);
    expect((await read(id, "?wait=30s", asking)).body.status).toBe("approved");
  });

  test("can be used for five minutes after it took effect, however late it came, and not a moment longer", async () => {
    const id = await made();
    await decided(id);
    const at = (name: "expires_at" | "finished_at", before: string) =>
      web.database.sql(
        `UPDATE task SET ${name} = now() - interval '${before}' WHERE id = (SELECT task_id FROM input_request WHERE id = $1)`,
        [id],
      );
    await at("expires_at", "1 hour");
    await at("finished_at", "200 seconds");
    const { decision } = (await read(id)).body;
    expect(Date.parse(decision.expires_at)).toBeGreaterThan(Date.now());
    await at("finished_at", "300 seconds");
    const over = (await read(id)).body;
    expect([over.status, Date.parse(over.decision.expires_at) <= Date.now()]).toEqual(["approved", true]);
    expect(codeOf(await consume(id))).toEqual([409, "approval_expired"]);
    await at("finished_at", "1 second");
    expect((await consume(id, "late")).status).toBe(200);
    await at("finished_at", "1 hour");
    expect((await consume(id, "late")).status).toBe(200);
    expect(codeOf(await consume(id, "later"))).toEqual([409, "already_consumed"]);
  });
});

describe("an outcome", () => {
  test("is noted once, in the history too", async () => {
    const id = await made();
    await decided(id);
    expect(codeOf(await report(id, { status: "succeeded" }))).toEqual([409, "not_consumed"]);
    await consume(id);
    const first = await report(id, { status: "failed", note: "Card closed" });
    expect(first.body.consumption.outcome).toEqual({
      ...{ status: "failed", note: "Card closed", reported_at: expect.any(String) },
    });
    const again = await report(id, { note: "Card closed", status: "failed" });
    expect([again.status, again.body]).toEqual([200, first.body]);
    for (const differing of [{ status: "failed" }, { status: "succeeded", note: "Card closed" }])
      expect(codeOf(await report(id, differing))).toEqual([409, "outcome_conflict"]);
    expect(await eventsOf(id, "request.outcome_reported")).toMatchObject([
      { data: { outcome: "failed", note: "Card closed" } },
    ]);
    const lines = (await web.call("GET", `/api/v1/requests/${id}`, { key })).body;
    expect(lines.consumedAt).toBe(first.body.consumption.consumed_at);
  });

  test("has its note sealed where the organization seals what its tasks are about", async () => {
    const sealing = await web.organization("acme-aap-sealed");
    const owner = await web.member(sealing, "Olga", "owner");
    const turn = (sealed: boolean) =>
      web.call("PUT", "/api/v1/organization/content-sealing", { ...owner, body: { sealed } });
    expect((await turn(true)).status).toBe(200);
    const asking = await web.key(sealing, "operator");
    const { id } = (await make(REFUND, "sealed", asking)).body;
    expect((await decide(id, undefined, owner)).status).toBe(202);
    expect((await read(id, "?wait=30s", asking)).body).toMatchObject({ ...REFUND, status: "approved" });
    expect((await make(REFUND, "sealed", asking)).status).toBe(200);
    await consume(id, "sealed", asking);
    const reported = await report(id, { status: "failed", note: "ZITRONENFALTER" }, asking);
    expect(reported.body.consumption.outcome.note).toBe("ZITRONENFALTER");
    expect((await report(id, { status: "failed", note: "ZITRONENFALTER" }, asking)).status).toBe(200);
    const stored = async () =>
      (
        await web.database.sql("SELECT outcome_note AS note FROM approval_use WHERE input_request_id = $1", [
          id,
        ])
      )[0]?.note;
    expect(await stored()).toMatch(/^sealed\/approval_use\.outcome_note\//);
    expect((await turn(false)).status).toBe(200);
    await until("the note is open again", async () => {
      await web.database.sql("UPDATE content_sealing SET look_at = now() - interval '1 second'");
      return (await stored()) === "ZITRONENFALTER";
    });
  });

  test("of several at once, one counts", async () => {
    const id = await made();
    await decided(id);
    await consume(id);
    const both = await Promise.all([report(id, { status: "failed" }), report(id, { status: "succeeded" })]);
    expect(both.map(codeOf).sort()).toEqual([
      [200, undefined],
      [409, "outcome_conflict"],
    ]);
    expect(await eventsOf(id, "request.outcome_reported")).toHaveLength(1);
  });

  test.each([
    ["an unknown one", { status: "unknown" }],
    ["an empty note", { status: "failed", note: "" }],
    ["a null for no note", { status: "failed", note: null }],
    ["an unknown field", { status: "failed", reported_at: "2026-01-01T00:00:00Z" }],
    ["one twice", '{"status":"failed","status":"succeeded"}'],
  ])("that is %s is refused", async (_what, body) => {
    expect((await report(randomUUID(), body)).status).toBe(400);
  });
});
