/** Server health in the API: call statistics, changed tools, and pauses. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { bucketOf, LATENCY_BUCKETS } from "@/lib/servers/call-statistics/call-statistics-schema.ts";
import { addCalls } from "@/lib/servers/call-statistics/call-statistics-writes.ts";
import { forFile } from "@/test/for-file.ts";
import { startTestServer } from "@/test/servers/mcp-server.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

let web: TestWeb;
const remote = forFile(startTestServer);
let acme: string;
let ola: { cookie: string };
let key: string;
let id: string;
/** The server's description of `quick`. */
let said = "Answers at once.";

beforeAll(async () => {
  remote.behave.describe = (name) => (name === "quick" ? said : undefined);
  web = await startWeb({
    INTRAY_ALLOW_HOSTS: "127.0.0.1",
  });
  acme = await web.organization("acme");
  ola = await web.member(acme, "Ola", "operator");
  key = await web.key(acme, "operator");
  const made = await web.call("POST", "/api/v1/servers", {
    key: await web.key(acme, "admin"),
    body: { name: "ERP", url: remote.url },
  });
  id = made.body.id;
});
afterAll(async () => {
  await web.stop();
});

const get = (path: string) => web.call("GET", `/api/v1/servers/${id}${path}`, ola);
const post = (path: string, body?: unknown) =>
  web.call("POST", `/api/v1/servers/${id}${path}`, { ...ola, ...(body !== undefined && { body }) });
const start = (who: { cookie: string } | { key: string }, more: object = {}) =>
  web.call("POST", "/api/v1/tasks", { ...who, body: { serverId: id, tool: "quick", ...more } });
const quick = async () =>
  (await get("/tools")).body.items.find((tool: { name: string }) => tool.name === "quick");
const typesOf = async () =>
  (
    await web.db.withOrganization(acme, (tx) =>
      tx.event.findMany({ where: { organizationId: acme }, orderBy: { seq: "asc" }, select: { type: true } }),
    )
  ).map(({ type }) => type);

test("a tool that says something else is flagged until a person has used it as it is; a key is warned", async () => {
  expect((await quick()).change).toBeNull();
  const first = await start(ola);
  expect([first.status, first.body.toolChangedAt]).toEqual([201, null]);

  said = "Pays at once.";
  expect((await post("/check")).body.steps).toMatchObject([
    { step: "identify", ok: true, message: "Speaks 2026-07-28" },
    { step: "tools", ok: true, message: "5 tools" },
  ]);
  expect((await typesOf()).filter((type) => type === "server.tools_changed")).toHaveLength(1);
  const flagged = await quick();
  expect(flagged).toMatchObject({
    description: said,
    change: { before: { description: "Answers at once." } },
  });

  const unseen = await start(ola);
  expect([unseen.status, unseen.body.code, unseen.body.digest]).toEqual([
    409,
    "tool_changed",
    flagged.digest,
  ]);
  const again = await web.call("POST", `/api/v1/tasks/${first.body.id}/restart`, ola);
  expect([again.status, again.body.code]).toEqual([409, "tool_changed"]);
  expect((await start(ola, { acknowledgeToolChange: "0".repeat(64) })).status).toBe(409);
  const byKey = await start({ key });
  expect([byKey.status, byKey.body.toolChangedAt]).toEqual([201, flagged.change.at]);

  expect((await start(ola, { acknowledgeToolChange: flagged.digest })).status).toBe(201);
  expect((await quick()).change).toBeNull();
  expect((await start(ola)).status).toBe(201);
  const { items } = (await get("/tool-versions?tool=quick")).body;
  expect(items).toMatchObject([
    { description: said, until: null, usedBy: { name: "Ola" } },
    { description: "Answers at once.", usedBy: { name: "Ola" } },
  ]);
});

test("two looks at once at a tool that changed are one change in the history", async () => {
  const before = (await typesOf()).filter((type) => type === "server.tools_changed").length;
  said = "Says something else again.";
  await Promise.all([post("/check"), post("/check")]);
  const after = (await typesOf()).filter((type) => type === "server.tools_changed").length;
  expect(after - before).toBe(1);
});

test("a paused server takes starts, is not asked, and says who paused it and why; approvers do not pause", async () => {
  const ben = await web.member(acme, "Ben", "approver");
  expect((await web.call("POST", `/api/v1/servers/${id}/pause`, { ...ben, body: {} })).status).toBe(403);
  const paused = await post("/pause", { reason: " Moving house " });
  expect(paused.body.pause).toMatchObject({ by: { name: "Ola" }, reason: "Moving house" });
  await web.db.withOrganization(acme, (tx) =>
    tx.server.updateMany({ where: { id }, data: { toolsCheckedAt: new Date(0) } }),
  );
  const seen = remote.seen.length;
  const { digest } = await quick();
  const started = await start(ola, { acknowledgeToolChange: digest });
  expect([started.status, started.body.state]).toEqual([201, "queued"]);
  expect(started.body.server.pause).toEqual(paused.body.pause);
  const refused = await post("/found-tasks/refresh");
  expect([refused.status, refused.body.code]).toEqual([409, "server_paused"]);
  expect(remote.seen).toHaveLength(seen);

  expect((await post("/pause", { reason: "mine" })).body.pause).toEqual(paused.body.pause);
  expect((await post("/resume")).body.pause).toBeNull();
  expect((await typesOf()).filter((type) => /^server\.(paused|resumed)$/.test(type))).toEqual([
    "server.paused",
    "server.resumed",
  ]);
});

test("calls that were counted are summed over the range, and every step is there", async () => {
  const latency = new Array<number>(LATENCY_BUCKETS).fill(0);
  latency[bucketOf(20)] = 8;
  const counted = { calls: 10, failures: [1, 1, 0, 0, 0], latency };
  await Promise.all([1, 2].map(() => web.db.withOrganization(acme, (tx) => addCalls(tx, id, counted))));
  for (const [range, steps] of [
    ["1h", 12],
    ["24h", 24],
    ["7d", 168],
  ] as const) {
    const { body } = await get(`/stats?range=${range}`);
    expect(body).toMatchObject({ calls: 20, failed: 4, successRate: 0.8 });
    expect(body.failures).toMatchObject({ unreachable: 2, timeout: 2, unauthorized: 0 });
    expect(body.steps).toHaveLength(steps);
    expect(body.p50Ms).toBeGreaterThan(14);
    expect(body.p99Ms).toBeLessThan(23);
  }
  expect((await get("")).body.lastDay).toMatchObject({ calls: 20, failed: 4 });
  expect((await get("/stats?range=1y")).status).toBe(422);
});
