/** Requests that programs put to people over HTTP, with a real engine that dies, and a receiver of callbacks. */
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WAITING_CALLS } from "@/lib/web/tunables.ts";
import { type EngineProcess, startEngineProcess } from "@/test/engine-process.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { webForFile } from "@/test/web.ts";

const DIGEST = "b".repeat(64);
const web = webForFile({ INTRAY_ALLOW_HOSTS: "127.0.0.1" });
let engine: EngineProcess;
let acme: string;
let key: string;
let foreign: string;
let ben: { userId: string; memberId: string; cookie: string };
let receiver: Server;
let receiverUrl: string;
const received: { headers: Record<string, unknown>; body: string }[] = [];
let refusals = 0;

beforeAll(async () => {
  acme = await web.organization("acme-requests");
  key = await web.key(acme, "operator");
  foreign = await web.key(await web.organization("globex-requests"), "owner");
  ben = await web.member(acme, "Ben", "approver");
  engine = await startEngineProcess(web.engineEnvironment);
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      response.statusCode = refusals-- > 0 ? 503 : 204;
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/resume`;
});
afterAll(async () => {
  await engine?.kill();
  receiver?.close();
});

const APPROVAL = {
  kind: "approval",
  message: "Deploy api 1.4.2 to production?",
  details: { commit: "9a1f3c2", environment: "production" },
  subject: { caller: "ci", tool: "deploy", argumentsDigest: DIGEST, policyVersion: "7" },
};
const make = (body: object = APPROVAL, headers: Record<string, string> = {}) =>
  web.call("POST", "/api/v1/requests", { key, body, headers });
const read = (id: string, query = "") => web.call("GET", `/api/v1/requests/${id}${query}`, { key });
const consume = (id: string, argumentsDigest = DIGEST, as = key) =>
  web.call("POST", `/api/v1/requests/${id}/consume`, { key: as, body: { argumentsDigest } });

async function decide(id: string, answer: object = { action: "accept", content: {} }) {
  const { questionHash } = (await web.call("GET", `/api/v1/input-requests/${id}`, ben)).body;
  const decided = await web.call("POST", `/api/v1/input-requests/${id}/answer`, {
    ...ben,
    body: { ...answer, questionHash },
  });
  expect(decided.status).toBe(202);
}

test("is made once for a key, shown as it was said, and is in the inbox", async () => {
  const once = { "idempotency-key": "build-17" };
  const first = await make(APPROVAL, once);
  expect(first.status).toBe(201);
  expect(first.body).toMatchObject({
    ...{ kind: "approval", state: "waiting", outcome: null, message: APPROVAL.message, callback: null },
    ...{ details: APPROVAL.details, subject: APPROVAL.subject, consumedAt: null, callbackSecret: null },
  });
  expect(first.body.url).toBe(`http://localhost:3000/inbox/${first.body.id}`);
  const again = await make(APPROVAL, once);
  expect([again.status, again.body.id]).toEqual([200, first.body.id]);
  const other = await make({ ...APPROVAL, message: "Another?" }, once);
  expect([other.status, other.body.code]).toEqual([409, "idempotency_mismatch"]);
  const inbox = await web.call("GET", "/api/v1/input-requests?state=open", ben);
  expect(inbox.body.items).toContainEqual(
    expect.objectContaining({ id: first.body.id, server: expect.objectContaining({ name: "Intray" }) }),
  );
  const servers = await web.call("GET", "/api/v1/servers", { key });
  expect(servers.body.items).toEqual([]);
});

test("the built-in server can't be read, changed, paused, used or removed by people", async () => {
  const made = await make();
  const admin = await web.key(acme, "admin");
  const { server } = (await web.call("GET", `/api/v1/tasks/${made.body.taskId}`, { key })).body;
  const at = `/api/v1/servers/${server.id}`;
  for (const [method, path, body] of [
    ["GET", at, undefined],
    ["PATCH", at, { name: "Mine" }],
    ["DELETE", at, undefined],
    ["POST", `${at}/check`, undefined],
    ["POST", `${at}/pause`, {}],
    ["GET", `${at}/tools`, undefined],
    ["POST", "/api/v1/tasks", { serverId: server.id, tool: "ask_person", arguments: {} }],
  ] as const) {
    const answer = await web.call(method, path, { key: admin, ...(body && { body }) });
    expect([method, path, answer.status]).toEqual([method, path, 404]);
  }
});

test.each([
  ["a detail twice", '"details":{"to":"ACME","to":"Mallory"}'],
  ["a detail that pages drop", '"details":{"to":{"__proto__":"Mallory"}}'],
  ["a number that is kept as another", '"details":{"total":9007199254740993}'],
])("a body with %s is refused: people would read another one", async (_, more) => {
  const body = `{"kind":"approval","message":"Pay?",${more}}`;
  const { status, body: problem } = await web.call("POST", "/api/v1/requests", { key, body });
  expect([status, problem.code]).toEqual([400, "invalid_json"]);
});

test("bad input names the field", async () => {
  const fieldsOf = async (body: object) => {
    const { status, body: problem } = await make(body);
    return [status, problem.errors?.[0]?.field];
  };
  expect(await fieldsOf({ ...APPROVAL, to: "nobody@test.example" })).toEqual([422, "to"]);
  // Whoever may ask learns nothing of those who can't answer.
  const vera = await web.member(acme, "Vera", "viewer");
  const [nobody, viewer] = await Promise.all(
    ["01890000-0000-7000-8000-000000000009", vera.memberId].map((to) => make({ ...APPROVAL, to })),
  );
  expect(viewer?.body.errors).toEqual(nobody?.body.errors);
  expect(viewer?.body.detail).toBe(nobody?.body.detail);
  const form = { type: "object", properties: { secret: { type: "string", format: "password" } } };
  expect(await fieldsOf({ kind: "question", message: "Which?", form })).toEqual([422, "form"]);
  expect(await fieldsOf({ ...APPROVAL, kind: "question" })).toEqual([422, "subject"]);
  expect(await fieldsOf({ ...APPROVAL, expiresAt: "2020-01-01T00:00:00Z" })).toEqual([422, "expiresAt"]);
  expect(await fieldsOf({ ...APPROVAL, currency: "EUR" })).toEqual([422, "currency"]);
  expect(await fieldsOf({ ...APPROVAL, callbackUrl: "http://10.0.0.1/x" })).toEqual([422, "callbackUrl"]);
  const links = [{ title: "No", url: "javascript:alert(1)" }];
  expect((await fieldsOf({ ...APPROVAL, links }))[0]).toBe(422);
});

test("what was decided is said by the title of the one field that was answered, of several", async () => {
  const form = {
    type: "object",
    properties: {
      until: {
        type: "string",
        title: "Access ends",
        oneOf: [{ const: "d1", title: "Tonight" }, { const: "d2" }],
      },
      all: { type: "boolean", title: "Of everybody" },
      note: { type: "string", title: "Remark" },
    },
  };
  for (const [content, words] of [
    [{ until: "d1" }, "Answered “Access ends: Tonight”"],
    [{ all: true }, "Answered “Of everybody: Yes”"],
    [{ note: "forever" }, "Answered"],
    [{ until: "d1", note: "forever" }, "Answered"],
    [{}, "Confirmed"],
  ] as const) {
    const { body } = await make({ kind: "question", message: "Until when?", form });
    await decide(body.id, { action: "accept", content });
    const request = await web.call("GET", `/api/v1/input-requests/${body.id}`, ben);
    expect(request.body.answer.words).toBe(words);
    const rows = await web.database.sql(
      "SELECT data ->> 'words' AS words FROM event WHERE type = 'answer.recorded' AND task_id = $1",
      [body.taskId],
    );
    expect(rows).toEqual([{ words }]);
  }
});

describe("a waiting read", () => {
  test("answers when somebody has decided, and says who", async () => {
    const { id } = (await make({ ...APPROVAL, to: ben.memberId })).body;
    const waiting = Promise.all([read(id, "?waitMs=60000"), read(id, "?waitMs=60000")]);
    await decide(id, { action: "decline", comment: "Not on Friday" });
    for (const { status, body } of await waiting) {
      expect(status).toBe(200);
      expect(body).toMatchObject({
        ...{ state: "ended", outcome: "declined", reason: "Not on Friday", content: null },
        ...{ by: { id: ben.userId, name: "Ben" }, assignedTo: { id: ben.userId, name: "Ben" } },
      });
    }
  });

  test("says that another request is asked for, and how; a plain no does not", async () => {
    const comment = "Deploy to staging first";
    const { id } = (await make({ ...APPROVAL, callbackUrl: receiverUrl })).body;
    const { questionHash } = (await web.call("GET", `/api/v1/input-requests/${id}`, ben)).body;
    const answer = (body: object) =>
      web.call("POST", `/api/v1/input-requests/${id}/answer`, { ...ben, body: { ...body, questionHash } });
    for (const [body, field] of [
      [{ action: "decline", revise: true }, "comment"],
      [{ action: "accept", content: {}, revise: true, comment }, "action"],
    ] as const) {
      const refused = await answer(body);
      expect([refused.status, refused.body.errors[0].field]).toEqual([422, field]);
    }
    const many = await web.call("POST", "/api/v1/input-requests/bulk-answer", {
      ...ben,
      body: { action: "decline", revise: true, comment, items: [{ id, questionHash }] },
    });
    expect(many.status).toBe(422);
    received.length = 0;
    expect((await answer({ action: "decline", revise: true, comment })).status).toBe(202);
    expect((await read(id, "?waitMs=60000")).body).toMatchObject({
      ...{ outcome: "declined", revise: true, reason: comment },
    });
    await until("the callback was taken", async () => received.length === 1);
    expect(JSON.parse(received[0]?.body ?? "").data).toMatchObject({ outcome: "declined", revise: true });
    expect((await consume(id)).body.reason).toBe("declined");

    const plain = (await make()).body;
    await decide(plain.id, { action: "decline", comment });
    expect((await read(plain.id, "?waitMs=60000")).body).toMatchObject({
      outcome: "declined",
      revise: false,
    });
  });

  test("of an approval says no where the form's own no was chosen, whatever was filled in beside it", async () => {
    const properties = { approved: { type: "boolean" }, account: { type: "string" } };
    const form = { type: "object", properties, required: ["approved"] };
    const endOf = async (kind: "approval" | "question", approved: boolean) => {
      const { id } = (await make({ kind, message: "Pay INV-1?", form })).body;
      await decide(id, { action: "accept", content: { approved, account: "DE1" } });
      const { outcome, content } = (await read(id, "?waitMs=60000")).body;
      return { outcome, content };
    };
    const content = { approved: false, account: "DE1" };
    expect(await endOf("approval", false)).toEqual({ outcome: "declined", content });
    expect(await endOf("approval", true)).toMatchObject({ outcome: "answered" });
    // To a question it is an answer.
    expect(await endOf("question", false)).toEqual({ outcome: "answered", content });
  });

  test("answers with what there is when its time is over", async () => {
    const { id } = (await make()).body;
    const { body } = await read(id, "?waitMs=1");
    expect(body).toMatchObject({ state: "waiting", outcome: null });
    expect((await read(id, "?waitMs=60001")).status).toBe(422);
  });

  test("is refused once the key is revoked, and told of a cancel", async () => {
    const { id, taskId } = (await make()).body;
    const admin = await web.key(acme, "admin");
    const short = await web.key(acme, "viewer");
    const revoked = web.call("GET", `/api/v1/requests/${id}?waitMs=60000`, { key: short });
    const kept = read(id, "?waitMs=60000");
    const keys = (await web.call("GET", "/api/v1/api-keys", { key: admin })).body.items;
    const viewer = keys.find(({ role }: { role: string }) => role === "viewer");
    expect((await web.call("DELETE", `/api/v1/api-keys/${viewer.id}`, { key: admin })).status).toBe(204);
    expect((await web.call("POST", `/api/v1/tasks/${taskId}/cancel`, { key })).status).toBeLessThan(300);
    expect((await revoked).status).toBe(401);
    expect((await kept).body).toMatchObject({ state: "ended", outcome: "cancelled", by: null });
  });

  test("of one caller no more wait than a process bears, and others wait beside them", async () => {
    const { id, taskId } = (await make()).body;
    const mine = await web.key(acme, "viewer");
    const wait = (waitMs: number) =>
      web.call("GET", `/api/v1/requests/${id}?waitMs=${waitMs}`, { key: mine });
    const statuses: number[] = [];
    const waiting = Array.from({ length: WAITING_CALLS + 5 }, () =>
      wait(60_000).then(({ status }) => statuses.push(status)),
    );
    await expect.poll(() => statuses).toEqual(Array(5).fill(429));
    expect((await read(id, "?waitMs=1")).status).toBe(200);
    await web.call("POST", `/api/v1/tasks/${taskId}/cancel`, { key });
    await Promise.all(waiting);
    expect(statuses.slice(5)).toEqual(Array(WAITING_CALLS).fill(200));
    expect((await wait(1)).status).toBe(200);
  });

  test("nobody else's", async () => {
    const { id } = (await make()).body;
    expect((await web.call("GET", `/api/v1/requests/${id}?waitMs=1000`, { key: foreign })).status).toBe(404);
    expect((await consume(id, DIGEST, foreign)).status).toBe(404);
  });
});

describe("an approval that is bound to a call", () => {
  test("a held answer is none yet; given: used once of many at once, also where an engine was killed", async () => {
    const { id } = (await make()).body;
    await engine.kill();
    await decide(id);
    expect((await consume(id)).body).toMatchObject({ code: "approval_unusable", reason: "waiting" });
    engine = await startEngineProcess(web.engineEnvironment);
    expect((await read(id, "?waitMs=60000")).body).toMatchObject({ outcome: "answered", content: {} });
    expect((await consume(id, "c".repeat(64))).body.reason).toBe("other_arguments");
    const all = await Promise.all(Array.from({ length: 5 }, () => consume(id)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const won = all.find(({ status }) => status === 200);
    expect(won?.body.consumedAt).toEqual(expect.any(String));
    const lost = all.find(({ status }) => status === 409);
    expect(lost?.body).toMatchObject({ reason: "already_consumed", by: { kind: "key" } });
    const uses = await web.db.withOrganization(acme, (tx) =>
      tx.approvalUse.count({ where: { organizationId: acme, inputRequestId: id } }),
    );
    expect(uses).toBe(1);
    // Its time is over since: that it was used is what the caller has to know.
    await web.db.withOrganization(acme, (tx) =>
      tx.task.updateMany({
        where: { organizationId: acme, id: won?.body.taskId },
        data: { expiresAt: new Date(0) },
      }),
    );
    expect((await consume(id)).body).toMatchObject({ reason: "already_consumed", by: { kind: "key" } });
  });

  test("a repeated use with the same key is the same use, of that caller alone", async () => {
    const { id } = (await make()).body;
    await decide(id);
    await read(id, "?waitMs=60000");
    const other = await web.key(acme, "operator");
    const use = (as: string, idempotencyKey: string, argumentsDigest = DIGEST) =>
      web.call("POST", `/api/v1/requests/${id}/consume`, {
        ...{ key: as, body: { argumentsDigest } },
        headers: { "idempotency-key": idempotencyKey },
      });
    const all = await Promise.all(Array.from({ length: 4 }, () => use(key, "run-1")));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(all.map(({ body }) => body.consumedAt)).size).toBe(1);
    expect((await use(key, "run-2")).body.reason).toBe("already_consumed");
    expect((await use(other, "run-1")).body.reason).toBe("already_consumed");
    expect((await use(key, "run-1", "c".repeat(64))).body.reason).toBe("other_arguments");
    expect((await consume(id)).body.reason).toBe("already_consumed");
    const events = await web.db.withOrganization(acme, (tx) =>
      tx.event.count({ where: { organizationId: acme, inputRequestId: id, type: "request.used" } }),
    );
    expect(events).toBe(1);
  });

  test("a program can't give it to itself", async () => {
    const { id } = (await make()).body;
    const owner = await web.key(acme, "owner");
    const { questionHash } = (await web.call("GET", `/api/v1/input-requests/${id}`, { key: owner })).body;
    const answer = await web.call("POST", `/api/v1/input-requests/${id}/answer`, {
      key: owner,
      body: { action: "accept", content: {}, questionHash },
    });
    expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
  });
});

test("a callback is signed, says the outcome and nothing that was said, and is repeated until it is taken", async () => {
  refusals = 1;
  received.length = 0;
  const { id, taskId, callbackSecret } = (await make({ ...APPROVAL, callbackUrl: receiverUrl })).body;
  expect((await read(id)).body.callback).toMatchObject({ state: "pending", attempts: 0 });
  await decide(id);
  const { callback } = await until("the callback was taken", async () => {
    const { body } = await read(id);
    return body.callback.state === "delivered" && body;
  });
  expect(callback).toMatchObject({ attempts: 2, lastStatus: 204 });
  expect(received).toHaveLength(2);
  for (const { headers, body } of received) {
    expect(JSON.parse(body)).toEqual({
      type: "request.ended",
      timestamp: expect.any(String),
      data: { id, inputRequestId: id, taskId, state: "ended", outcome: "answered" },
    });
    const signed = `${id}.${headers["webhook-timestamp"]}.${body}`;
    const secret = Buffer.from(callbackSecret.replace("whsec_", ""), "base64");
    const signature = createHmac("sha256", secret).update(signed).digest("base64");
    expect(headers).toMatchObject({ "webhook-id": id, "webhook-signature": `v1,${signature}` });
  }
  expect(received[0]?.body).toBe(received[1]?.body);
});
