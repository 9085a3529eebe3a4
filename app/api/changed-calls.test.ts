/** Approvals of calls that people change first: what counts as a change, who has to agree, and what older processes can't do. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { argumentsDigest } from "@/lib/requests/answers/changed-call.ts";
import { type EngineProcess, startEngineProcess } from "@/test/engine-process.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { forFile } from "@/test/for-file.ts";
import { startTestServer } from "@/test/servers/mcp-server.ts";
import { type Voter, type VotingOrganization, votingOrganization } from "@/test/voting.ts";
import { webForFile } from "@/test/web.ts";

const remote = forFile(startTestServer);
const web = webForFile({ INTRAY_ALLOW_HOSTS: "127.0.0.1" });
let acme: VotingOrganization;
let admin: string;
let serverId: string;
let ola: Voter;
let ben: Voter;
let cleo: Voter;
let engine: EngineProcess | null = null;

beforeAll(async () => {
  acme = await votingOrganization(web, "acme-changes");
  admin = await web.key(acme.id, "admin");
  ola = await acme.person("Ola", "operator");
  ben = await acme.person("Ben", "approver");
  cleo = await acme.person("Cleo", "approver");
  const server = { name: "ERP", url: remote.url };
  serverId = (await web.call("POST", "/api/v1/servers", { key: admin, body: server })).body.id;
  const rules = [
    { name: "Never to Mallory", when: 'arguments.to == "Mallory"', before: "deny" },
    { name: "Look first", before: "ask" },
  ];
  const headers = { "if-match": "0" };
  const saved = await web.call("PUT", "/api/v1/call-rules", { key: admin, body: { rules }, headers });
  expect(saved.status).toBe(200);
});
beforeEach(() => acme.policy({ rules: [] }));
afterAll(async () => {
  await engine?.kill();
});

const CALL = { note: "March", to: "ACME", amount: 5000 };
interface Asked {
  id: string;
  taskId: string;
  questionHash: string;
}
/** A call of Ola's that waits for an approval. */
async function ask(args: object = CALL): Promise<Asked> {
  const body = { serverId, tool: "quick", arguments: args };
  const made = await web.call("POST", "/api/v1/tasks", { cookie: ola.cookie, body });
  expect(made.status).toBe(201);
  const list = await web.call("GET", `/api/v1/input-requests?taskId=${made.body.id}`, ben);
  return list.body.items[0];
}
const read = (who: Voter, { id }: { id: string }) =>
  web.call("GET", `/api/v1/input-requests/${id}`, { cookie: who.cookie }).then(({ body }) => body);
const answer = (who: Voter, { id, questionHash }: Asked, more: object) =>
  web.call("POST", `/api/v1/input-requests/${id}/answer`, {
    cookie: who.cookie,
    body: { action: "accept", questionHash, ...more },
  });
const approve = (who: Voter, asked: Asked, args: object, more: object = {}) =>
  answer(who, asked, { content: { arguments: args }, ...more });
const live = async ({ id }: Asked) =>
  acme.sql("SELECT changes, content FROM answer WHERE input_request_id = $1 AND withdrawn_at IS NULL", [id]);
const taskOf = async ({ taskId }: Asked) =>
  (await web.call("GET", `/api/v1/tasks/${taskId}`, { cookie: ola.cookie })).body;

describe("a call that is approved with changes", () => {
  test("is made once, with these arguments; what was asked for is kept beside them", async () => {
    const asked = await ask();
    expect(await read(ben, asked)).toMatchObject({ editable: true, arguments: CALL });
    const changed = { ...CALL, note: "April", amount: 400 };
    const decided = await approve(ben, asked, changed, { comment: "In two parts" });
    expect(decided.status).toBe(202);
    expect(decided.body).toMatchObject({
      ...{ editable: false, arguments: CALL },
      answer: { words: "Approved with changes", content: { arguments: changed }, comment: "In two parts" },
    });
    engine = await startEngineProcess(web.engineEnvironment);
    await until("the call was made", async () => (await taskOf(asked)).state === "completed");
    await engine.kill();
    engine = null;
    expect(remote.calls).toMatchObject([{ name: "quick", arguments: changed }]);
    expect(remote.seen.some((headers) => headers["mcp-param-note"] === "April")).toBe(true);
    expect(await taskOf(asked)).toMatchObject({ arguments: changed, askedArguments: CALL });
    expect(await read(ben, asked)).toMatchObject({ arguments: CALL });
    const events = await web.call("GET", `/api/v1/tasks/${asked.taskId}/events`, { cookie: ola.cookie });
    const told = events.body.items.find(({ type }: { type: string }) => type === "task.approved");
    expect(told.data.changed).toEqual(['note: "March" → "April"', "amount: 5000 → 400"]);
  });

  test("has to fit the tool, and no rule may deny it", async () => {
    const asked = await ask();
    for (const [args, status, code] of [
      [{ ...CALL, note: 5 }, 422, "invalid_arguments"],
      [{ ...CALL, amount: 2 ** 60 }, 422, "invalid_arguments"],
      [{ ...CALL, to: "Mallory" }, 403, "denied_by_rule"],
    ] as const) {
      const refused = await approve(ben, asked, args);
      expect([args, refused.status, refused.body.code]).toEqual([args, status, code]);
    }
    for (const content of [{ arguments: "all" }, { arguments: CALL, more: 1 }])
      expect((await answer(ben, asked, { content })).body.code).toBe("invalid_content");
    const declined = await answer(ben, asked, { action: "decline", content: { arguments: CALL } });
    expect(declined.body.code).toBe("invalid_content");
    expect(await live(asked)).toEqual([]);
  });

  test("changed back is an approval as it was asked, in whatever order its members stand", async () => {
    const asked = await ask();
    const { note, ...rest } = CALL;
    expect((await approve(ben, asked, { ...rest, note })).body.answer.words).toBe("Approved");
    expect(await live(asked)).toEqual([{ changes: false, content: {} }]);
  });

  test("can be taken back, and is not changed then", async () => {
    const asked = await ask();
    await approve(ben, asked, { ...CALL, amount: 1 }, { holdMs: 60_000 });
    expect((await web.call("POST", `/api/v1/input-requests/${asked.id}/undo`, ben)).status).toBe(200);
    expect(await read(ben, asked)).toMatchObject({ state: "open", editable: true, answer: null });
    expect((await answer(ben, asked, { content: {} })).body.answer.words).toBe("Approved");
  });

  test("is not approved by a process that does not know of changes", async () => {
    const asked = await ask();
    await approve(ben, asked, { ...CALL, amount: 1 });
    const before = acme.sql(
      "UPDATE task SET gate = 'approved', watched = true WHERE organization_id = $1 AND id = $2",
      [acme.id, asked.taskId],
    );
    await expect(before).rejects.toThrow(/approved with other arguments/);
  });
});

describe("where several people have to agree", () => {
  const two = () => ({
    groups: { finance: [ben.email, cleo.email] },
    rules: [
      {
        name: "Large",
        when: "amount != null && amount >= 1000.0",
        stages: [{ name: "Finance", approvers: { groups: ["finance"] }, need: 2 }],
      },
    ],
  });

  test("they agree on the changed call, as on a form", async () => {
    await acme.policy(two());
    const asked = await ask();
    const changed = { ...CALL, amount: 1200 };
    expect((await approve(ben, asked, changed)).body).toMatchObject({
      ...{ state: "open", editable: true },
      approval: { content: { arguments: changed } },
    });
    // As it was asked is something else than what Ben agreed to, and so are other changes.
    expect((await answer(cleo, asked, { content: {} })).body.code).toBe("content_differs");
    expect((await approve(cleo, asked, { ...changed, amount: 1300 })).body.code).toBe("content_differs");
    expect((await approve(cleo, asked, changed)).body.answer.words).toBe("Approved with changes");
    expect(await live(asked)).toEqual([{ changes: true, content: { arguments: changed } }]);
  });

  test("another proposal asks everybody again", async () => {
    await acme.policy(two());
    const asked = await ask();
    await approve(ben, asked, { ...CALL, amount: 1200 });
    const proposed = await answer(cleo, asked, { content: {}, proposes: true });
    expect(proposed.body).toMatchObject({ state: "open", approval: { content: {} } });
    expect((await answer(ben, asked, { content: {} })).body.answer.words).toBe("Approved");
    expect(await live(asked)).toEqual([{ changes: false, content: {} }]);
  });

  test("a change for which the policy has others decide is refused, also where nobody in particular decides now", async () => {
    await acme.policy(two());
    const small = await ask({ ...CALL, amount: 12 });
    expect((await read(ben, small)).approval).toBeNull();
    const refused = await approve(ben, small, { ...CALL, amount: 5000 });
    expect([refused.status, refused.body.code, refused.body.rule]).toEqual([
      409,
      "approval_differs",
      "Large",
    ]);
    expect((await approve(ben, small, { ...CALL, amount: 13 })).status).toBe(202);
    // The other way round the people of now decide: nobody gets by with fewer.
    const large = await ask();
    expect((await approve(ben, large, { ...CALL, amount: 13 })).body.state).toBe("open");
    expect(await live(large)).toEqual([]);
  });
});

describe("an approval for a call elsewhere", () => {
  const args = { table: "orders", rows: 10 };
  const subject = {
    tool: "delete_rows",
    argumentsDigest: argumentsDigest(args),
    editable: true,
    arguments: args,
  };
  const inputSchema = { type: "object", properties: { rows: { type: "integer", maximum: 100 } } };
  let key: string;
  beforeAll(async () => {
    key = await web.key(acme.id, "operator");
  });
  const make = (more: object) =>
    web.call("POST", "/api/v1/requests", {
      key,
      body: { kind: "approval", message: "Delete rows?", subject: { ...subject, ...more } },
    });
  const consume = (id: string, digest: string) =>
    web.call("POST", `/api/v1/requests/${id}/consume`, { key, body: { argumentsDigest: digest } });

  test("says which arguments, under their own digest", async () => {
    const fieldOf = async (more: object) => {
      const { status, body } = await make(more);
      return [status, body.errors?.[0]?.field];
    };
    expect(await fieldOf({ arguments: undefined })).toEqual([422, "subject.arguments"]);
    const ofOthers = { argumentsDigest: "a".repeat(64) };
    expect(await fieldOf(ofOthers)).toEqual([422, "subject.argumentsDigest"]);
    expect(await fieldOf({ ...ofOthers, editable: undefined })).toEqual([422, "subject.argumentsDigest"]);
    expect(await fieldOf({ editable: false })).toEqual([422, "subject.editable"]);
  });

  test("keeps its label, by which the policy says who decides on a change", async () => {
    const stages = [{ name: "Cleo", approvers: { people: [cleo.email] }, need: 1 }];
    await acme.policy({
      rules: [{ name: "Large", when: 'task.label == "orders" && amount > 99.0', stages }],
    });
    const asked = { table: "orders", amount: 5 };
    const body = {
      ...{ kind: "approval", message: "Pay?", label: "orders" },
      subject: { ...subject, arguments: asked, argumentsDigest: argumentsDigest(asked) },
    };
    const made = (await web.call("POST", "/api/v1/requests", { key, body })).body;
    const request: Asked = await read(ben, made);
    const refused = await approve(ben, request, { ...asked, amount: 5000 });
    expect([refused.status, refused.body.code, refused.body.rule]).toEqual([
      409,
      "approval_differs",
      "Large",
    ]);
    expect((await approve(ben, request, { ...asked, amount: 6 })).body.answer.words).toBe(
      "Approved with changes",
    );
  });

  test("is decided by whom the policy names for the changed currency, whatever the program said beside the call", async () => {
    const stages = [{ name: "Cleo", approvers: { people: [cleo.email] }, need: 1 }];
    await acme.policy({ rules: [{ name: "Coins", when: 'currency == "BTC"', stages }] });
    const asked = { amount: 5, currency: "EUR" };
    const body = {
      ...{ kind: "approval", message: "Pay?", amount: 5, currency: "EUR" },
      subject: { ...subject, arguments: asked, argumentsDigest: argumentsDigest(asked) },
    };
    const request: Asked = await read(ben, (await web.call("POST", "/api/v1/requests", { key, body })).body);
    const refused = await approve(ben, request, { ...asked, currency: "BTC" });
    expect([refused.status, refused.body.rule]).toEqual([409, "Coins"]);
    expect((await approve(ben, request, { ...asked, amount: 6 })).status).toBe(202);
  });

  test("is used for the changed arguments alone, and tells both", async () => {
    const made = (await make({ inputSchema })).body;
    const asked: Asked = await read(ben, made);
    const changed = { table: "orders", rows: 5 };
    expect((await approve(ben, asked, { ...args, rows: 500 })).body.code).toBe("invalid_arguments");
    expect((await approve(ben, asked, changed)).body.answer.words).toBe("Approved with changes");
    engine = await startEngineProcess(web.engineEnvironment);
    const ended = (await web.call("GET", `/api/v1/requests/${made.id}?waitMs=60000`, { key })).body;
    await engine.kill();
    engine = null;
    expect(ended).toMatchObject({
      ...{ outcome: "answered", content: { arguments: changed } },
      subject: { arguments: args, argumentsDigest: subject.argumentsDigest },
    });
    const approved = { arguments: changed, argumentsDigest: argumentsDigest(changed) };
    const old = await consume(made.id, subject.argumentsDigest);
    expect([old.status, old.body.reason, old.body.approved]).toEqual([409, "other_arguments", approved]);
    // A process of an earlier version compares with the digest that was asked about.
    await expect(
      acme.sql(
        "INSERT INTO approval_use (organization_id, input_request_id, used_by) VALUES ($1, $2, '{}')",
        [acme.id, made.id],
      ),
    ).rejects.toThrow(/approved with other arguments/);
    const used = await consume(made.id, approved.argumentsDigest);
    expect(used.body).toMatchObject({ consumedAt: expect.any(String), content: { arguments: changed } });
    expect((await consume(made.id, approved.argumentsDigest)).body.reason).toBe("already_consumed");
  });

  test("is approved as it is where the program does not say that it can be changed", async () => {
    const { body } = await make({ editable: undefined });
    const asked: Asked & { editable: boolean } = await read(ben, body);
    expect(asked.editable).toBe(false);
    expect((await approve(ben, asked, { table: "orders", rows: 5 })).body.code).toBe("invalid_content");
  });
});
