import { beforeAll, describe, expect, test } from "vitest";
import { createDatabase } from "@/lib/base/db/db.ts";
import { pageSchema } from "@/lib/base/page.ts";
import { inputRequestDetailSchema, inputRequestSchema } from "@/lib/requests/request-schema.ts";
import { taskDetailSchema, taskSchema } from "@/lib/tasks/task-schema.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { forFile } from "@/test/for-file.ts";
import { startTestServer } from "@/test/servers/mcp-server.ts";
import { webForFile } from "@/test/web.ts";

const mcp = forFile(startTestServer);
const web = webForFile(() => ({
  INTRAY_ALLOW_HOSTS: `${mcp.hostAndPort},127.0.0.1:9`,
}));
let acme: string;
let server: { id: string; connectionId: string };
let operator: string;
let admin: string;

beforeAll(async () => {
  acme = await web.organization("acme");
  server = await insertServer(web.db, acme, {
    tools: [
      {
        name: "pay",
        title: null,
        description: null,
        inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
        taskSupport: "optional",
        annotations: null,
        honoursIdempotencyKey: false,
      },
      {
        name: "ping",
        title: null,
        description: null,
        inputSchema: { type: "object" },
        taskSupport: "forbidden",
        annotations: null,
        honoursIdempotencyKey: false,
      },
    ],
  });
  operator = await web.key(acme, "operator");
  admin = await web.key(acme, "admin");
});

const start = (body: object, headers: Record<string, string> = {}) =>
  web.call("POST", "/api/v1/tasks", {
    key: operator,
    body: { serverId: server.id, tool: "pay", ...body },
    headers,
  });

test("a list tells whom a task is about and its amount, and lists a program's question by its words", async () => {
  const org = await web.organization("listed");
  const key = await web.key(org, "operator");
  const its = await insertServer(web.db, org);
  const invoice = await insertTask(web.db, org, its, {
    arguments: { invoice: { invoice_id: "INV-7", customer: "ACME Corp", total: 1200, currency: "EUR" } },
  });
  const asked = await insertTask(web.db, org, its, { arguments: { supplier: "Tall Oak" } });
  await insertRequest(web.db, org, asked);
  await web.database.sql("UPDATE input_request SET amount = 80, currency = '$' WHERE task_id = $1", [asked]);
  const question = await web.call("POST", "/api/v1/requests", {
    key,
    body: { kind: "question", message: "Which account?\nThere are two." },
  });
  expect(question.status).toBe(201);
  const { body } = await web.call("GET", "/api/v1/tasks", { key });
  const listed = Object.fromEntries(
    body.items.map(({ id, label, party, amount }: Record<string, unknown>) => [id, { label, party, amount }]),
  );
  expect(listed).toEqual({
    [invoice]: { label: "INV-100", party: "ACME Corp", amount: { value: 1200, currency: "EUR" } },
    [asked]: { label: "INV-100", party: "Tall Oak", amount: { value: 80, currency: "$" } },
    [question.body.taskId]: { label: "Which account?", party: null, amount: null },
  });
});

describe("starting a task", () => {
  test("queues it, and answers with all of it", async () => {
    const answer = await start({ arguments: { amount: 1 }, ttlMs: 60_000 });
    expect(answer.status).toBe(201);
    expect(taskDetailSchema.parse(answer.body)).toMatchObject({
      state: "queued",
      tool: "pay",
      arguments: { amount: 1 },
    });
    expect(answer.headers.get("location")).toBe(`/api/v1/tasks/${answer.body.id}`);
  });

  test.each([
    ["arguments that do not fit", { arguments: {} }, 422, "invalid_arguments"],
    ["a number that JSON has rounded", { arguments: { amount: 2 ** 60 } }, 422, "invalid_arguments"],
    ["a server that nobody has", { serverId: crypto.randomUUID(), arguments: {} }, 404, "not_found"],
    ["an unknown tool of a server that is away", { tool: "nope", arguments: {} }, 502, "server_unavailable"],
    ["a ttl above what servers take", { arguments: { amount: 1 }, ttlMs: 2 ** 31 }, 422, "invalid_input"],
  ])("refuses %s", async (_what, body, status, code) => {
    const answer = await start(body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test("takes a tool that never runs as a task", async () => {
    const answer = await start({ tool: "ping", arguments: {} });
    expect([answer.status, answer.body.state]).toEqual([201, "queued"]);
  });

  test("with a key used twice at once makes one task", async () => {
    const once = () => start({ arguments: { amount: 7 } }, { "idempotency-key": "twice" });
    const [one, other] = await Promise.all([once(), once()]);
    expect([one?.status, other?.status].sort()).toEqual([200, 201]);
    expect(one?.body.id).toBe(other?.body.id);
    const count = await web.db.withOrganization(acme, (tx) =>
      tx.task.count({ where: { idempotencyKey: "twice" } }),
    );
    expect(count).toBe(1);
    const mismatch = await start({ arguments: { amount: 8 } }, { "idempotency-key": "twice" });
    expect([mismatch.status, mismatch.body.code]).toEqual([409, "idempotency_mismatch"]);
    const long = await start({ arguments: { amount: 8 } }, { "idempotency-key": "x".repeat(256) });
    expect(long.status).toBe(422);
  });

  test("again is a new task that names the old one", async () => {
    const first = await start({ arguments: { amount: 9 } });
    const cancelled = await web.call("POST", `/api/v1/tasks/${first.body.id}/cancel`, { key: operator });
    expect([cancelled.status, cancelled.body.state]).toEqual([202, "cancelled"]);
    const again = await web.call("POST", `/api/v1/tasks/${first.body.id}/restart`, { key: operator });
    expect([again.status, again.body.restartOf]).toEqual([201, first.body.id]);
    expect(again.body.arguments).toEqual({ amount: 9 });

    const restart = `/api/v1/tasks/${first.body.id}/restart`;
    const changed = {
      key: operator,
      body: { arguments: { amount: 10 } },
      headers: { "idempotency-key": "again" },
    };
    const other = await web.call("POST", restart, changed);
    expect([other.status, other.body.restartOf, other.body.arguments]).toEqual([
      201,
      first.body.id,
      { amount: 10 },
    ]);
    expect(await web.call("POST", restart, changed)).toMatchObject({
      status: 200,
      body: { id: other.body.id },
    });
    const unfit = await web.call("POST", restart, { key: operator, body: { arguments: { amount: "ten" } } });
    expect([unfit.status, unfit.body.code]).toEqual([422, "invalid_arguments"]);
    const elsewhere = await web.call("POST", restart, { key: operator, body: { serverId: server.id } });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([422, "invalid_input"]);
    const chain = await web.call("GET", `/api/v1/tasks/${first.body.id}`, { key: operator });
    expect(chain.body.restarts.map(({ id }: { id: string }) => id)).toEqual([other.body.id, again.body.id]);
  });
});

describe("starting a private task again where it would not be private", () => {
  test("is refused in words, unless the caller names the connection that it agrees to", async () => {
    const ana = await web.member(acme, "Ana", "operator");
    const vera = await web.member(acme, "Vera", "viewer");
    const own = { id: server.id, connectionId: crypto.randomUUID() };
    await web.db.withOrganization(acme, (tx) =>
      tx.connection.create({
        data: { organizationId: acme, id: own.connectionId, serverId: server.id, userId: ana.userId },
      }),
    );
    const privately = { requester: ana.userId, visibility: "private", state: "failed" };
    const pay = { tool: "pay", arguments: { amount: 3 } };
    const failed = await insertTask(web.db, acme, own, { ...pay, ...privately });
    const again = (body?: object) =>
      web.call("POST", `/api/v1/tasks/${failed}/restart`, {
        cookie: ana.cookie,
        ...(body && { body }),
        headers: { "idempotency-key": "of this dialog" },
      });
    for (const body of [undefined, { acknowledgeConnectionChange: "own" }]) {
      const refused = await again(body);
      expect([refused.status, refused.body]).toEqual([
        409,
        expect.objectContaining({
          code: "connection_changed",
          detail: expect.stringContaining("Ana’s own connection, in private"),
          connection: "shared",
          visibility: "organization",
        }),
      ]);
    }
    const none = await web.call("GET", `/api/v1/tasks/${failed}`, { cookie: ana.cookie });
    expect(none.body.restarts).toEqual([]);
    const agreed = await again({ acknowledgeConnectionChange: "shared" });
    expect([agreed.status, agreed.body.visibility]).toEqual([201, "organization"]);
    expect((await web.call("GET", `/api/v1/tasks/${agreed.body.id}`, { cookie: vera.cookie })).status).toBe(
      200,
    );
    // A reply that was lost: the same again is the same task.
    const repeated = await again({ acknowledgeConnectionChange: "shared" });
    expect([repeated.status, repeated.body.id]).toEqual([200, agreed.body.id]);
    const onward = await web.call("POST", `/api/v1/tasks/${agreed.body.id}/restart`, { cookie: ana.cookie });
    expect(onward.status).toBe(201);
  });
});

describe("reading tasks", () => {
  test("pages without losing or repeating one, newest first, whatever their state", async () => {
    const organization = await web.organization("paging");
    const key = await web.key(organization, "viewer");
    const own = await insertServer(web.db, organization);
    const at = new Date("2026-03-01T00:00:00Z");
    for (let n = 0; n < 7; n++)
      await insertTask(web.db, organization, own, {
        createdAt: n < 4 ? at : new Date(),
        state: n % 2 ? "working" : "completed",
      });
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await web.call("GET", `/api/v1/tasks?limit=2${cursor ? `&cursor=${cursor}` : ""}`, {
        key,
      });
      pageSchema(taskSchema).parse(page.body);
      seen.push(...page.body.items.map((task: { id: string }) => task.id));
      cursor = page.body.nextCursor;
    }
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
    const bad = await web.call("GET", "/api/v1/tasks?cursor=xyz", { key });
    expect([bad.status, bad.body.errors[0].field]).toEqual([422, "cursor"]);
  });

  test("filters by state, tool, time, words and requester", async () => {
    const organization = await web.organization("filters");
    const ola = await web.member(organization, "Ola", "operator");
    const own = await insertServer(web.db, organization, { name: "Ledger 100%" });
    const a = await insertTask(web.db, organization, own, {
      requester: ola.userId,
      arguments: { note: "blue_sky" },
    });
    const b = await insertTask(web.db, organization, own, {
      state: "completed",
      tool: "other",
      createdAt: new Date("2026-01-01T00:00:00Z"),
    });
    const ids = async (query: string) => {
      const answer = await web.call("GET", `/api/v1/tasks?${query}`, { cookie: ola.cookie });
      return answer.body.items.map((task: { id: string }) => task.id);
    };
    expect(await ids("state=completed,failed")).toEqual([b]);
    expect(await ids("tool=other")).toEqual([b]);
    expect(await ids("createdBefore=2026-02-01T00:00:00Z")).toEqual([b]);
    expect(await ids("createdAfter=2026-02-01T00:00:00%2B01:00")).toEqual([a]);
    expect(await ids("requester=me")).toEqual([a]);
    expect(await ids("q=BLUE_sky")).toEqual([a]);
    expect(await ids("q=blue%25sky")).toEqual([]);
    expect(await ids("q=100%25")).toEqual([a, b]);
    const counts = await web.call("GET", "/api/v1/tasks/counts", { cookie: ola.cookie });
    expect(counts.body.counts).toMatchObject({ working: 1, completed: 1, queued: 0 });
  });

  test("shows a private task to its requester and to who was assigned a question of it, and to nobody else", async () => {
    const organization = await web.organization("private");
    const [ana, ben, cleo] = [
      await web.member(organization, "Ana", "operator"),
      await web.member(organization, "Ben", "approver"),
      await web.member(organization, "Cleo", "owner"),
    ];
    const key = await web.key(organization, "owner");
    const own = await insertServer(web.db, organization);
    const task = await insertTask(web.db, organization, own, {
      visibility: "private",
      requester: ana.userId,
    });
    const request = await insertRequest(web.db, organization, task, { assignee: ben.userId });
    for (const [who, status] of [
      [{ cookie: ana.cookie }, 200],
      [{ cookie: ben.cookie }, 200],
      [{ cookie: cleo.cookie }, 404],
      [{ key }, 404],
    ] as const) {
      const listed = status === 200 ? 1 : 0;
      expect((await web.call("GET", `/api/v1/tasks/${task}`, who)).status).toBe(status);
      expect((await web.call("GET", `/api/v1/tasks/${task}/events`, who)).status).toBe(status);
      expect((await web.call("GET", `/api/v1/input-requests/${request.id}`, who)).status).toBe(status);
      expect((await web.call("GET", "/api/v1/tasks", who)).body.items).toHaveLength(listed);
      expect((await web.call("GET", "/api/v1/input-requests", who)).body.items).toHaveLength(listed);
      expect((await web.call("GET", "/api/v1/tasks/counts", who)).body.counts.working).toBe(listed);
    }
  });

  test("never shows what is sealed", async () => {
    const task = await insertTask(web.db, acme, server);
    const answer = await web.call("GET", `/api/v1/tasks/${task}`, { key: admin });
    expect(JSON.stringify(answer.body)).not.toContain("sealed");
  });
});

describe("looking into a task", () => {
  const AT = Date.parse("2026-03-01T12:00:00.000Z");
  const later = (seconds: number) => new Date(AT + seconds * 1_000);
  const get = (id: string, rest: string) =>
    web.call("GET", `/api/v1/tasks/${id}/${rest}`, { key: operator }).then(({ body }) => body);

  test("reads a long history from either end, page by page, and what its time went into", async () => {
    const id = await insertTask(web.db, acme, server, { createdAt: later(0) });
    await web.db.withOrganization(acme, async (tx) => {
      // In one statement: what is tested is how it is read.
      await tx.$executeRaw`SELECT append_event(CASE n WHEN 1 THEN 'task.starting' WHEN 1000 THEN 'request.opened'
          WHEN 1100 THEN 'answer.recorded' WHEN 1199 THEN 'delivery.confirmed' ELSE 'task.status' END,
        '{"kind": "engine", "id": null, "name": "Intray"}', ${id}::uuid,
        CASE WHEN n IN (1000, 1100, 1199) THEN ${id}::uuid END, jsonb_build_object('statusMessage', n))
        FROM generate_series(1, 1200) AS n`;
    });
    const said = (page: { items: { data: { statusMessage: number } }[] }) =>
      page.items.map(({ data }) => data.statusMessage);
    const newest = await get(id, "events?order=newest&limit=3");
    const before = await get(id, `events?order=newest&limit=2&cursor=${newest.nextCursor}`);
    expect([said(newest), said(before)]).toEqual([
      [1200, 1199, 1198],
      [1197, 1196],
    ]);
    expect(said(await get(id, "events?limit=2"))).toEqual([1, 2]);
    expect((await get(id, "events?order=newest&limit=200")).items[100].inputRequestId).toBe(id);
    const { phases } = await get(id, "phases");
    expect(phases.map(({ phase }: { phase: string }) => phase)).toEqual([
      "queued",
      "working",
      "waiting",
      "delivering",
      "working",
    ]);
    expect([phases[0].from, phases[4].to]).toEqual([later(0).toISOString(), null]);
  });

  test("finds messages by direction, method and words", async () => {
    const id = await insertTask(web.db, acme, server);
    const message = (n: number, direction: string, method: string, body: object) => ({
      organizationId: acme,
      taskId: id,
      at: later(n),
      direction,
      method,
      body,
    });
    // The web may not write them.
    const engine = createDatabase(web.database.engineUrl, { connections: 1 });
    await engine.withOrganization(acme, (tx) =>
      tx.protocolMessage.createMany({
        data: [
          message(1, "out", "tools/call", { params: { name: "pay" } }),
          message(2, "in", "tools/call", { result: { status: "working" } }),
          message(3, "out", "tasks/get", { params: { taskId: "•••" } }),
          message(4, "in", "tasks/get", { result: { statusMessage: "100%_done" } }),
          // In the same moment: told apart by their order.
          message(5, "out", "ping", { at: "once" }),
          message(5, "in", "ping", { at: "once" }),
        ],
      }),
    );
    await engine.close();
    const found = async (query: string) =>
      (await get(id, `messages?${query}`)).items.map(
        (item: { at: string }) => (Date.parse(item.at) - AT) / 1_000,
      );
    expect(await found("")).toEqual([1, 2, 3, 4, 5, 5]);
    for (const [order, first] of [
      ["newest", "in"],
      ["oldest", "out"],
    ] as const) {
      const whole = (await get(id, `messages?order=${order}`)).items;
      const paged: unknown[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await get(id, `messages?order=${order}&limit=1${cursor && `&cursor=${cursor}`}`);
        paged.push(...page.items);
        cursor = page.nextCursor;
      }
      expect(paged).toEqual(whole);
      expect(whole.filter((item: { method: string }) => item.method === "ping")[0].direction).toBe(first);
    }
    expect(await found("direction=out&method=tasks/get")).toEqual([3]);
    expect(await found("method=tasks/get&direction=in")).toEqual([4]);
    expect(await found("q=WORKING")).toEqual([2]);
    expect(await found("q=%25_D")).toEqual([4]);
    expect(await get(id, "messages?q=nothing")).toEqual({
      items: [],
      nextCursor: null,
      methods: ["ping", "tasks/get", "tools/call"],
    });
  });
});

describe("requests for input", () => {
  test("are claimed, kept as a draft, assigned, answered and taken back", async () => {
    const organization = await web.organization("requests");
    const ben = await web.member(organization, "Ben", "approver");
    const cleo = await web.member(organization, "Cleo", "approver");
    const ola = await web.member(organization, "Ola", "operator");
    const own = await insertServer(web.db, organization);
    const task = await insertTask(web.db, organization, own);
    const { id, questionHash } = await insertRequest(web.db, organization, task);
    const path = `/api/v1/input-requests/${id}`;
    const post = (action: string, who: { cookie: string }, body?: object) =>
      web.call("POST", `${path}/${action}`, { cookie: who.cookie, ...(body && { body }) });
    const mine = async (who: { cookie: string }, assignee: string) =>
      (await web.call("GET", `/api/v1/input-requests?assignee=${assignee}`, who)).body.items.length;

    inputRequestDetailSchema.parse((await web.call("GET", path, ben)).body);
    expect([await mine(ben, "me"), await mine(ben, "none")]).toEqual([0, 1]);
    expect((await post("claim", ben)).body.claimedBy).toMatchObject({ id: ben.userId, name: "Ben" });
    expect([await mine(ben, "me"), await mine(cleo, "me"), await mine(cleo, "none")]).toEqual([1, 0, 0]);
    const claimed = await post("answer", cleo, { action: "decline", questionHash });
    expect([claimed.status, claimed.body.code]).toEqual([409, "claimed_by_other"]);
    expect((await post("release", ben)).status).toBe(200);

    const headers = { prefer: "return=representation" };
    const keep = async (body: object) =>
      (await web.call("PUT", `${path}/draft`, { cookie: ben.cookie, body, headers })).body;
    const { savedAt } = await keep({ content: {}, comment: "To ask" });
    expect((await web.call("GET", path, ben)).body.draft).toEqual({
      content: {},
      comment: "To ask",
      savedAt,
    });
    expect((await web.call("GET", path, cleo)).body.draft).toBeNull();
    expect(await keep({ content: {} })).toEqual({ savedAt: null });
    const silent = await web.call("PUT", `${path}/draft`, { cookie: ben.cookie, body: { content: {} } });
    expect([silent.status, silent.body]).toEqual([204, null]);
    expect((await web.call("GET", path, ben)).body.draft).toBeNull();

    expect((await post("assign", ben, { memberId: cleo.memberId })).status).toBe(403);
    expect((await post("assign", ola, { memberId: cleo.memberId })).body.assignedTo.name).toBe("Cleo");
    expect([await mine(cleo, "me"), await mine(cleo, "none")]).toEqual([1, 0]);

    const changed = await post("answer", cleo, {
      action: "accept",
      content: {},
      questionHash: "0".repeat(64),
    });
    expect([changed.status, changed.body.code]).toEqual([409, "question_changed"]);
    const decision = { action: "accept", content: {}, comment: "fine", questionHash, holdMs: 60_000 };
    const answers = await Promise.all([post("answer", cleo, decision), post("answer", ben, decision)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([202, 409]);
    const refused = answers.find((answer) => answer.status === 409);
    expect(refused?.body).toMatchObject({
      code: "already_answered",
      by: { kind: "member" },
      at: expect.any(String),
    });

    const answered = inputRequestDetailSchema.parse((await web.call("GET", path, ben)).body);
    expect(answered).toMatchObject({
      state: "answered",
      answer: { action: "accept" },
      delivery: { state: "held" },
    });
    const decider = answers[0].status === 202 ? cleo : ben;
    expect((await post("undo", decider)).body).toMatchObject({
      state: "open",
      answer: null,
      delivery: { state: "undone" },
    });
    expect((await post("undo", decider)).body.code).toBe("already_sent");
    expect((await post("resend", ola)).body.code).toBe("nothing_to_resend");

    // Somebody who leaves takes nothing along.
    const owner = await web.key(organization, "owner");
    await web.call("DELETE", `/api/v1/members/${cleo.memberId}`, { key: owner });
    expect(await mine(ben, "none")).toBe(1);
  });

  test("page oldest first", async () => {
    const organization = await web.organization("oldest");
    const key = await web.key(organization, "viewer");
    const task = await insertTask(web.db, organization, await insertServer(web.db, organization));
    const ids: string[] = [];
    for (let n = 0; n < 5; n++)
      ids.push((await insertRequest(web.db, organization, task, { message: `Question ${n}` })).id);
    const one = await web.call("GET", "/api/v1/input-requests?limit=3&state=open", { key });
    const two = await web.call(
      "GET",
      `/api/v1/input-requests?limit=3&state=open&cursor=${one.body.nextCursor}`,
      { key },
    );
    pageSchema(inputRequestSchema).parse(one.body);
    expect([...one.body.items, ...two.body.items].map((item) => item.id)).toEqual(ids);
    expect(two.body.nextCursor).toBeNull();
    const found = await web.call("GET", "/api/v1/input-requests?q=question%203", { key });
    expect(found.body.items).toHaveLength(1);
  });
});

describe("servers", () => {
  const create = (body: object) =>
    web.call("POST", "/api/v1/servers", { key: admin, body: { name: "S", ...body } });

  test("are probed when they are made, and their tools kept; the token goes out and never comes back", async () => {
    const made = await create({ url: mcp.url, auth: { kind: "bearer", token: "very-secret-token" } });
    expect([made.status, made.body.health.state, made.body.era]).toEqual([201, "ok", "2026-07-28"]);
    expect(mcp.seen.at(-1)?.authorization).toBe("Bearer very-secret-token");
    const before = mcp.seen.length;
    const tools = await web.call("GET", `/api/v1/servers/${made.body.id}/tools?limit=3`, { key: operator });
    expect(tools.body.items.map((tool: { name: string }) => tool.name)).toEqual([
      "approve",
      "quick",
      "order",
    ]);
    const rest = await web.call(
      "GET",
      `/api/v1/servers/${made.body.id}/tools?cursor=${tools.body.nextCursor}`,
      { key: operator },
    );
    expect(rest.body.items).toHaveLength(2);
    expect(mcp.seen).toHaveLength(before);
    const row = await web.db.withOrganization(acme, (tx) =>
      tx.connection.findFirstOrThrow({ where: { serverId: made.body.id } }),
    );
    expect(row.sealedCredentials).toMatch(/^v1\.k1\./);

    const patched = await web.call("PATCH", `/api/v1/servers/${made.body.id}`, {
      key: admin,
      body: { auth: { kind: "none" } },
    });
    expect([patched.status, patched.body.authKind, mcp.seen.at(-1)?.authorization]).toEqual([
      200,
      "none",
      undefined,
    ]);
    const checked = await web.call("POST", `/api/v1/servers/${made.body.id}/check`, { key: operator });
    expect(checked.body.health.state).toBe("ok");
    const listed = await web.call("GET", "/api/v1/servers", { key: operator });
    expect(JSON.stringify([made.body, listed.body])).not.toContain("secret");
  });

  test("that are dead are kept, with words of ours; addresses that are not allowed are refused", async () => {
    const answer = await create({ url: mcp.url.replace("/mcp", "/nothing-here"), era: "2025-11-25" });
    expect([answer.status, answer.body.health.state]).toEqual([201, "failing"]);
    const tools = await web.call("GET", `/api/v1/servers/${answer.body.id}/tools`, { key: operator });
    expect([tools.status, tools.body.code]).toEqual([502, "server_unavailable"]);
    // the port of "discard", where nothing listens
    const unreachable = await create({ url: "http://127.0.0.1:9/mcp" });
    expect([unreachable.status, unreachable.body.health.state]).toEqual([201, "unreachable"]);
    for (const url of [
      "http://127.0.0.1:10/mcp",
      "http://169.254.169.254/latest",
      "http://[::1]:1/",
      "http://0x7f.1/",
    ]) {
      const refused = await create({ url });
      expect([url, refused.status, refused.body.code]).toEqual([url, 422, "address_not_allowed"]);
    }
  });

  test("are not removed under an open task, nor started on when removed", async () => {
    const made = await create({ url: mcp.url });
    const body = { serverId: made.body.id, tool: "approve", arguments: {} };
    const [task, removed] = await Promise.all([
      web.call("POST", "/api/v1/tasks", { key: operator, body }),
      web.call("DELETE", `/api/v1/servers/${made.body.id}`, { key: admin }),
    ]);
    expect([
      [201, 409],
      [404, 204],
    ]).toContainEqual([task.status, removed.status]);
    if (removed.status === 409) {
      expect(removed.body.code).toBe("server_in_use");
      await web.call("POST", `/api/v1/tasks/${task.body.id}/cancel`, { key: operator });
      expect((await web.call("DELETE", `/api/v1/servers/${made.body.id}`, { key: admin })).status).toBe(204);
      expect(
        (await web.call("GET", `/api/v1/tasks/${task.body.id}`, { key: operator })).body.server.name,
      ).toBe("S");
    }
    expect((await web.call("GET", `/api/v1/servers/${made.body.id}`, { key: admin })).status).toBe(404);
    expect((await web.call("POST", "/api/v1/tasks", { key: operator, body })).status).toBe(404);
  });
});

describe("history", () => {
  test("is listed, exported and verified, and an altered line is found", async () => {
    const list = await web.call("GET", "/api/v1/events?limit=2", { key: admin });
    expect(list.body.items[0].seq).toBeGreaterThan(list.body.items[1].seq);
    const lines = (await (await web.open("GET", "/api/v1/events/export", { key: admin })).text())
      .trim()
      .split("\n");
    const verified = await web.call("GET", "/api/v1/events/verify", { key: admin });
    expect(verified.body).toMatchObject({
      ok: true,
      lines: lines.length,
      head: JSON.parse(lines.at(-1) ?? "").hash,
    });
    const { withClient } = await import("@/scripts/database/roles.ts");
    await withClient(web.database.adminUrl, (client) =>
      client.query("UPDATE event SET data = '{\"amount\": 1}' WHERE organization_id = $1 AND seq = 3", [
        acme,
      ]),
    );
    const broken = await web.call("GET", "/api/v1/events/verify", { key: admin });
    expect(broken.body).toMatchObject({ ok: false, brokenAt: 3 });
  });
});
