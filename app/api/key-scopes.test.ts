/** What a key that is limited to actions, servers or tools gets to know and to do: nothing of the others. */
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PERMISSIONS, type Permission, permissionsOf } from "@/lib/access/permissions.ts";
import { uuidv7 } from "@/lib/base/ids.ts";
import { insertRequest, insertServer, insertTask } from "@/test/fixtures/rows.ts";
import { type Names, namesOf, send } from "@/test/guards/caller.ts";
import { startDescribedWeb } from "@/test/guards/described.ts";
import { picture } from "@/test/guards/digest.ts";
import type { Operation } from "@/test/guards/operations.ts";
import { CLOSED_URL, type Things, thingsOf } from "@/test/guards/things.ts";
import { walk, walkUnchanged } from "@/test/guards/walk.ts";

const { web, operations } = await startDescribedWeb();
// Loaded once the settings are there.
const { paths } = await import("@/app/api/v1/openapi.json/paths.ts");
const { isOffered } = await import("@/lib/web/http/route.ts");
const HIDDEN = "hidden-canary";
const SHOWN = "shown-canary";
/** Stands in the other tool of the server that the limited keys name. */
const SIBLING = "sibling-canary";
const tool = (name: string) => ({
  name,
  title: name,
  description: name,
  inputSchema: { type: "object", properties: {} },
  taskSupport: "required",
  annotations: {},
  honoursIdempotencyKey: false,
});

let admin: pg.Client;
let acme: string;
let olga: { userId: string; memberId: string; cookie: string };
let shown: { id: string; connectionId: string };
let ours: { taskId: string; requestId: string; toolTask: string; otherTool: string; otherRequest: string };
/** Everything of a server that the limited keys do not name. */
let hidden: Things;

beforeAll(async () => {
  admin = new pg.Client({ connectionString: web.database.adminUrl });
  await admin.connect();
  acme = await web.organization("acme-scopes");
  olga = await web.member(acme, "Olga", "owner");
  hidden = makeHidden();
  for (const kind of ["task", "request", "foundTask", "connection", "bulkOperation", "race"] as const)
    await hidden.id(kind);
  shown = await insertServer(web.db, acme, {
    name: SHOWN,
    url: CLOSED_URL,
    tools: [tool("pay"), tool(`refund-${SIBLING}`)],
  });
  const insert = (of: string) =>
    insertTask(web.db, acme, shown, { tool: of, arguments: { invoice_id: of }, state: "input_required" });
  const [taskId, otherTool] = [await insert("pay"), await insert(`refund-${SIBLING}`)];
  const [request, otherRequest] = [
    await insertRequest(web.db, acme, taskId, { message: `Approve ${SHOWN}?` }),
    await insertRequest(web.db, acme, otherTool, { message: `Approve ${SIBLING}?` }),
  ];
  ours = { taskId, requestId: request.id, toolTask: taskId, otherTool, otherRequest: otherRequest.id };
});
afterAll(async () => {
  await admin.end();
  await web.stop();
});

function makeHidden(): Things {
  return thingsOf({ web, organizationId: acme, canary: HIDDEN, slug: "acme-scopes", ...olga });
}
/** A call's names of what is hidden. Refused calls leave the things, so that all of them share these. */
const prepare = (operation: Operation, isAlone: boolean) =>
  namesOf(operation, isAlone ? makeHidden() : hidden);
const make = (body: object, who: { cookie?: string; key?: string } = olga) =>
  web.call("POST", "/api/v1/api-keys", { ...who, body: { name: "Limited", role: "owner", ...body } });
/** Keys of a test, which are revoked after it: a person may have a hundred. */
const keyIds: string[] = [];
const keyOf = async (body: object) => {
  const made = await make(body);
  expect([made.status, made.body.detail]).toEqual([201, undefined]);
  keyIds.push(made.body.id);
  return made.body.secret as string;
};
afterEach(async () => {
  for (const id of keyIds.splice(0)) {
    const revoked = await web.call("DELETE", `/api/v1/api-keys/${id}`, olga);
    expect(revoked.status).toBe(204);
  }
});
const ids = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id).sort();

describe("a key limited to servers", () => {
  const LIMITS = [
    ["a server", () => ({ servers: [shown.id] }), true],
    ["one tool", () => ({ tools: [`${shown.id}/pay`] }), false],
  ] as const;
  const guarded = operations.filter(({ access }) => access !== "none");

  test.each(LIMITS)(
    "%s: does not reach what is another server's, changes nothing, and tells nothing",
    async (_what, limit, wholeServer) => {
      const key = await keyOf(limit());
      const secrets = wholeServer ? [HIDDEN] : [HIDDEN, SIBLING];
      const expectNoneIn = (text: string) => {
        for (const secret of secrets) expect(text).not.toContain(secret);
      };
      await walkUnchanged<Operation, Names>(guarded, {
        prepare,
        async take(operation, names) {
          const reply = await send(web, operation, { key }, names);
          if (operation.slots.some(({ place }) => place.startsWith("path.")))
            expect([403, 404], reply.text).toContain(reply.status);
          expectNoneIn(reply.text);
        },
        look: () => picture(admin, acme),
      });
      // Lists of everything, of which some note that they were taken out.
      const reads = guarded.filter(({ method }) => method === "GET");
      await walk(reads, async (operation) => {
        const names = await prepare(operation, false);
        expectNoneIn((await send(web, operation, { key }, { ...names, unfiltered: true })).text);
      });
    },
  );

  test.each(LIMITS)(
    "%s: lists, counts, searches and exports hold its things alone",
    async (_what, limit, wholeServer) => {
      const key = await keyOf(limit());
      const read = async (path: string) => {
        const response = await web.open("GET", `/api/v1${path}`, { key });
        return { status: response.status, text: await response.text() };
      };
      const json = async (path: string) => JSON.parse((await read(path)).text);
      const tasks = wholeServer ? [ours.taskId, ours.otherTool].sort() : [ours.taskId];
      const requests = wholeServer ? [ours.requestId, ours.otherRequest].sort() : [ours.requestId];
      expect(ids(await json("/tasks?limit=200"))).toEqual(tasks);
      expect(ids(await json("/input-requests?limit=200"))).toEqual(requests);
      expect(ids(await json("/servers?limit=200"))).toEqual([shown.id]);
      expect((await json("/tasks/total")).total).toBe(tasks.length);
      expect((await json("/tasks/counts")).counts).toMatchObject({
        input_required: tasks.length,
        working: 0,
      });
      expect((await json("/input-requests/counts")).all).toBe(requests.length);
      expect(ids(await json(`/tasks?q=${SIBLING}`))).toEqual(wholeServer ? [ours.otherTool] : []);
      expect((await json(`/tasks/total?q=${SIBLING}`)).total).toBe(wholeServer ? 1 : 0);
      expect(ids(await json(`/input-requests?q=${SIBLING}`))).toEqual(wholeServer ? [ours.otherRequest] : []);
      expect((await json(`/input-requests/counts?q=${SIBLING}`)).all).toBe(wholeServer ? 1 : 0);
      const lines = (await read("/tasks/export?format=ndjson")).text.trim().split("\n");
      expect(lines).toHaveLength(tasks.length);
      const hiddenServer = await hidden.id("server");
      expect(ids(await json(`/tasks?serverId=${hiddenServer}`))).toEqual([]);
      expect((await json(`/tasks/total?serverId=${hiddenServer}`)).total).toBe(0);
      const tools = await json(`/servers/${shown.id}/tools?asSeen=true`);
      expect(tools.items.map(({ name }: { name: string }) => name)).toEqual(
        wholeServer ? ["pay", `refund-${SIBLING}`] : ["pay"],
      );
      for (const path of [`/servers/${hiddenServer}`, `/servers/${hiddenServer}/tools?asSeen=true`])
        expect([path, (await read(path)).status]).toEqual([path, 404]);
      if (!wholeServer)
        for (const path of [
          `/tasks/${ours.otherTool}`,
          `/tasks/${ours.otherTool}/events`,
          `/input-requests/${ours.otherRequest}`,
        ])
          expect([path, (await read(path)).status]).toEqual([path, 404]);
      expect((await read(`/tasks/${ours.taskId}`)).status).toBe(200);
      expect((await read(`/input-requests/${ours.requestId}`)).status).toBe(200);
    },
  );

  test("starts no task of another server or tool, not by a restart either, and answers none of its requests", async () => {
    const key = await keyOf({ tools: [`${shown.id}/pay`] });
    const start = (serverId: string, name: string) =>
      web.call("POST", "/api/v1/tasks", { key, body: { serverId, tool: name, arguments: {} } });
    const before = await picture(admin, acme);
    expect((await start(shown.id, `refund-${SIBLING}`)).status).toBe(404);
    expect((await start(await hidden.id("server"), "process_invoice")).status).toBe(404);
    for (const [path, body] of [
      [`/tasks/${ours.otherTool}/restart`, {}],
      [`/tasks/${ours.otherTool}/cancel`, {}],
      [`/input-requests/${ours.otherRequest}/answer`, { action: "decline", questionHash: "0".repeat(64) }],
    ] as const)
      expect([path, (await web.call("POST", `/api/v1${path}`, { key, body })).status]).toEqual([path, 404]);
    expect(await picture(admin, acme)).toEqual(before);
    // The tool that it names is looked up at its server, which is away.
    expect((await start(shown.id, "pay")).status).not.toBe(404);
  });

  test("gets no stream, webhook, history, export or key, which know no servers", async () => {
    const key = await keyOf({ servers: [shown.id] });
    for (const path of [
      "/stream",
      "/events",
      "/events/export",
      "/organization/export",
      "/webhooks",
      "/overview",
      "/api-keys",
    ])
      expect([path, (await web.open("GET", `/api/v1${path}`, { key })).status]).toEqual([path, 403]);
    const test = await web.call("POST", `/api/v1/webhooks/${await hidden.id("webhook")}/test`, { key });
    expect([test.status, test.body.code]).toEqual([403, "forbidden"]);
  });

  test("names servers of its own organization, and tools in full", async () => {
    const globex = await web.organization("globex-scopes");
    const theirs = await insertServer(web.db, globex, { name: "Theirs", url: CLOSED_URL });
    for (const id of [theirs.id, uuidv7()]) {
      expect((await make({ servers: [id] })).status).toBe(404);
      expect((await make({ tools: [`${id}/pay`] })).status).toBe(404);
    }
    for (const body of [
      { servers: [] },
      { tools: [] },
      { tools: ["pay"] },
      { tools: [`${shown.id}/`] },
      { servers: ["x"] },
    ])
      expect([body, (await make(body)).status]).toEqual([body, 422]);
  });
});

describe("a key limited to actions", () => {
  const offered = Object.entries(paths).flatMap(([path, handlers]) =>
    Object.entries(handlers).flatMap(([method, handler]) =>
      handler.definition && isOffered(handler) && handler.definition.auth in PERMISSIONS
        ? [[`${method} ${path}`, handler.definition.auth as Permission] as const]
        : [],
    ),
  );

  test("every call takes the permission that it names, whatever the key's role", async () => {
    const keys = new Map<Permission, string>();
    for (const [, needed] of offered)
      if (!keys.has(needed)) {
        const others = permissionsOf("owner").filter((each) => each !== needed);
        keys.set(needed, await keyOf({ permissions: others }));
      }
    const needs = new Map<string, Permission>(offered);
    const called = operations.filter(({ name }) => needs.has(name));
    expect(called.map(({ name }) => name).sort()).toEqual([...needs.keys()].sort());
    await walkUnchanged<Operation, Names>(called, {
      prepare,
      async take(operation, names) {
        const needed = needs.get(operation.name)!;
        const reply = await send(web, operation, { key: keys.get(needed)! }, names);
        expect([needed, reply.status, reply.code]).toEqual([needed, 403, "forbidden"]);
      },
      look: () => picture(admin, acme),
    });
  });

  test("does what it names, and its role still bounds it", async () => {
    const key = await keyOf({ permissions: ["tasks:read"] });
    const status = async (path: string) => (await web.call("GET", `/api/v1${path}`, { key })).status;
    expect([await status("/tasks"), await status("/input-requests"), await status("/me")]).toEqual([
      200, 403, 200,
    ]);
    expect((await make({ role: "viewer", permissions: ["tasks:start"] })).status).toBe(422);
    for (const permissions of [[], ["everything"], ["tasks:read", 1]])
      expect((await make({ permissions })).status).toBe(422);
  });

  test("makes and rotates no key with more than it has itself", async () => {
    const own = { permissions: ["keys:manage", "tasks:read"], networks: ["203.0.113.0/24"], expires: 7 };
    const limited = await make(own);
    const from = { "x-forwarded-for": "203.0.113.7" };
    const call = (method: "POST" | "PATCH", path: string, body: object) =>
      web.call(method, `/api/v1/api-keys${path}`, { key: limited.body.secret, body, headers: from });
    const makeBy = (body: object) =>
      call("POST", "", {
        name: "Child",
        role: "owner",
        expires: new Date(Date.now() + 86_400_000).toISOString(),
        ...body,
      });
    const child = await makeBy({});
    expect(child.body).toMatchObject({ permissions: own.permissions, networks: own.networks });
    expect((await makeBy({ permissions: ["tasks:read"] })).status).toBe(201);
    for (const more of [
      { permissions: ["tasks:read", "tasks:start"] },
      { networks: ["198.51.100.0/24"] },
      { networks: [] },
      { expires: 30 },
    ])
      expect([more, (await makeBy(more)).body.code]).toEqual([more, "forbidden"]);
    expect((await call("PATCH", `/${limited.body.id}`, { networks: [] })).body.code).toBe("forbidden");
    const strong = (await make({})).body;
    expect((await call("POST", `/${strong.id}/rotate`, {})).body.code).toBe("forbidden");
    expect((await call("POST", `/${limited.body.id}/rotate`, {})).status).toBe(200);
  });

  test("is not taken by a web process of before, which knows no limits", async () => {
    for (const limit of [
      { permissions: ["tasks:read"] },
      { servers: [shown.id] },
      { tools: [`${shown.id}/pay`] },
    ]) {
      const { id } = (await make(limit)).body;
      const { rows } = await admin.query(
        "SELECT count(*)::int AS found FROM gate.api_key((SELECT secret_hash FROM api_key WHERE id = $1))",
        [id],
      );
      expect(rows[0].found).toBe(0);
    }
  });
});
