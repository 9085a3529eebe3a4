import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMakerlessAgent } from "@/lib/agents/agent-writes.ts";
import { createDatabase, type Database } from "@/lib/base/db/db.ts";
import { createNetwork } from "@/lib/base/network/network.ts";
import { createSeal } from "@/lib/base/seal.ts";
import { startTracing } from "@/lib/base/tracing/start.ts";
import { Engine } from "@/lib/engine/engine.ts";
import { engineRegistry } from "@/lib/history/metrics/engine.ts";
import { COMMAND_LINE } from "@/lib/people/organizations/organization-writes.ts";
import { withClient } from "@/scripts/database/roles.ts";
import { type Collector, startCollector } from "@/test/collector.ts";
import { rawAgent } from "@/test/fixtures/agents/raw-agent.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { startTestServer, type TestServer } from "@/test/servers/mcp-server.ts";
import { startWeb, type TestWeb } from "@/test/web.ts";

const TOKEN = "a token of the scraper";
let web: TestWeb;
let mcp: TestServer;
let database: Database;
let engine: Engine;
let collector: Collector;
let sendTraces: () => Promise<void>;
const lines: string[] = [];
let acme: string;
let operator: string;
let admin: string;
let serverId: string;

beforeAll(async () => {
  // Files before this one have counted in the same process.
  engineRegistry.resetMetrics();
  mcp = await startTestServer();
  collector = await startCollector();
  web = await startWeb({
    INTRAY_ALLOW_HOSTS: mcp.hostAndPort,
    METRICS_TOKEN: TOKEN,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  acme = await web.organization("acme");
  operator = await web.key(acme, "operator");
  admin = await web.key(acme, "admin");
  const body = { name: "Secretive ERP", url: mcp.url };
  serverId = (await web.call("POST", "/api/v1/servers", { key: admin, body })).body.id;
  // It reads the settings as it is loaded.
  const { createLog } = await import("@/lib/base/log.ts");
  database = createDatabase(web.database.engineUrl, { connections: 6 });
  engine = new Engine({
    database,
    directUrl: web.database.engineDirectUrl,
    network: createNetwork({ allowHosts: [mcp.hostAndPort], denyPorts: [] }),
    seal: createSeal([{ kid: "k1", key: Buffer.alloc(32, 1) }]),
    log: createLog("info", { write: (line: string) => void lines.push(line) }),
  });
  await engine.start();
});
afterAll(async () => {
  await engine.stop();
  await database.close();
  await web.stop();
  await mcp.close();
  await collector.close();
});

async function scrape(token = TOKEN): Promise<{ status: number; text: string }> {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const response = await web.open("GET", "/metrics", { headers });
  return { status: response.status, text: await response.text() };
}

/** Returns the sum of a metric's samples whose labels contain `labels`. */
function sum(text: string, name: string, labels = ""): number | null {
  const found = text
    .split("\n")
    .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(labels));
  return found.length === 0 ? null : found.reduce((all, line) => all + Number(line.split(" ").at(-1)), 0);
}

const start = (headers: Record<string, string> = {}) =>
  web.call("POST", "/api/v1/tasks", {
    key: operator,
    body: { serverId, tool: "approve", arguments: { secret: "s3cret" } },
    headers,
  });

function question(taskId: string): Promise<{ id: string }> {
  const path = `/api/v1/input-requests?taskId=${taskId}`;
  const look = async () => (await web.call("GET", path, { key: operator })).body.items[0];
  return until("a question is open", look);
}

async function approve(requestId: string) {
  const path = `/api/v1/input-requests/${requestId}`;
  const { questionHash } = (await web.call("GET", path, { key: operator })).body;
  const body = { action: "accept", content: { approve: true }, questionHash };
  return web.call("POST", `${path}/answer`, { key: operator, body });
}

test("the figures are for who knows the token", async () => {
  expect((await scrape("")).status).toBe(401);
  expect((await scrape("another token of somebody")).status).toBe(401);
  expect((await scrape()).status).toBe(200);
});

test("a task from its start over its question to its end is counted by web and engine, and named nowhere", async () => {
  const task = (await start()).body;
  const request = await question(task.id);
  const waiting = await until("the question is counted", async () => {
    const { text } = await scrape();
    return sum(text, "intray_open_requests", 'age="1m"') === 1 ? text : null;
  });
  expect(sum(waiting, "intray_open_tasks", 'state="input_required"')).toBe(1);
  expect(sum(waiting, "intray_oldest_request_seconds")).toBeGreaterThan(0);

  expect((await approve(request.id)).status).toBe(202);
  // Retention is behind by design: as far as payloads are kept. That is no lag.
  await withClient(web.database.adminUrl, (client) =>
    client.query(
      "INSERT INTO event_follower (organization_id, follower, seq) SELECT id, 'retention', 0 FROM organization",
    ),
  );
  const text = await until("the end is counted", async () => {
    const { text } = await scrape();
    return sum(text, "intray_events_total", 'type="task.completed"') ? text : null;
  });

  const engineLabel = `engine="${engine.id.slice(0, 8)}"`;
  expect(sum(text, "intray_database_up")).toBe(1);
  expect(sum(text, "intray_engines")).toBe(1);
  expect(sum(text, "intray_engine_leases", engineLabel)).toBe(1);
  expect(sum(text, "intray_open_requests")).toBe(0);
  for (const result of ["sent", "accepted", "confirmed"])
    expect([result, sum(text, "intray_deliveries_total", `rung="update",result="${result}"`)]).toEqual([
      result,
      1,
    ]);
  expect(sum(text, "intray_time_to_decision_seconds_count", 'action="accept"')).toBe(1);
  expect(sum(text, "intray_polls_total", engineLabel)).toBeGreaterThan(0);
  expect(sum(text, "intray_lateness_seconds_count", engineLabel)).toBeGreaterThan(0);
  expect(sum(text, "intray_database_connections")).toBeGreaterThan(0);
  expect(sum(text, "intray_job_seconds_count", 'name="metrics"')).toBeGreaterThan(0);
  expect(sum(text, "intray_follower_lag_seconds", 'follower="metrics"')).toBeGreaterThanOrEqual(0);
  expect(text).not.toContain('follower="retention"');
  expect(
    sum(
      text,
      "intray_http_request_seconds_count",
      'method="POST",route="/api/v1/input-requests/{id}/answer",status="202"',
    ),
  ).toBe(1);
  for (const name of ["acme", "Secretive", '"approve"', "s3cret", serverId, task.id, request.id, operator])
    expect(text).not.toContain(name);
});

test("calls of agents are counted while they are held, and no longer", async ({ onTestFinished }) => {
  const { serveAgent } = await import("@/lib/web/mcp/endpoint.ts");
  const http = createServer(serveAgent);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const { secret } = await web.db.withOrganization(acme, (tx) =>
    createMakerlessAgent(tx, COMMAND_LINE, { name: "Coder", grants: [{ serverId }] }),
  );
  const held = (count: number) =>
    until(`${count} calls are held`, async () => sum((await scrape()).text, "intray_held_calls") === count);
  const agent = rawAgent(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, secret);
  const call = (signal: AbortSignal, note: string) =>
    agent
      .legacy("tools/call", { name: "secretive-erp__approve", arguments: { note } }, { signal })
      .catch(() => "gone");
  const leaves = new AbortController();
  const stays = new AbortController();
  // Three calls of two tasks.
  const left = [call(leaves.signal, "one"), call(leaves.signal, "two")];
  const answered = call(stays.signal, "one");
  await held(3);
  leaves.abort();
  expect(await Promise.all(left)).toEqual(["gone", "gone"]);
  await held(1);
  const tasks = await web.db.withOrganization(acme, (tx) =>
    tx.task.findMany({ where: { organizationId: acme } }),
  );
  const { id } = tasks.find((task) => (task.arguments as { note?: string }).note === "one")!;
  await approve((await question(id)).id);
  expect(await answered).toMatchObject({ status: 200 });
  await held(0);
});

test("an engine that was not seen for a while is left out, and one of another version counts without its figures", async () => {
  await withClient(web.database.adminUrl, async (client) => {
    await client.query(
      "INSERT INTO engine (id, seen_at, metrics) VALUES (gen_random_uuid(), now() - interval '1 minute', '[]')",
    );
    await client.query(
      `INSERT INTO engine (id, metrics) VALUES ('eeeeeeee-0000-4000-8000-000000000000', '{"odd": 1}')`,
    );
  });
  const { status, text } = await scrape();
  expect(status).toBe(200);
  expect(sum(text, "intray_engines")).toBe(2);
  expect(sum(text, "intray_engine_leases", 'engine="eeeeeeee"')).toBe(0);
  expect(sum(text, "intray_watched_tasks", "eeeeeeee")).toBeNull();
});

test("a trace goes from the call over the task to the server that is ours, and only there", async () => {
  sendTraces = await startTracing("intray-web");
  const started = await start();
  await approve((await question(started.body.id)).id);
  const untold = mcp.calls.length;
  expect(JSON.stringify(mcp.calls)).not.toContain("traceparent");

  const path = `/api/v1/servers/${serverId}`;
  expect((await web.call("PATCH", path, { key: admin, body: { trace: true } })).body.trace).toBe(true);
  const caller = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
  const told = await start({ traceparent: `00-${caller.traceId}-${caller.spanId}-01` });
  const answered = await approve((await question(told.body.id)).id);
  await until(
    "the task ends",
    async () =>
      (await web.call("GET", `/api/v1/tasks/${told.body.id}`, { key: operator })).body.state === "completed",
  );
  await sendTraces();

  const span = (name: string, traceId: string) => {
    const found = collector.spans.filter((one) => one.name === name && one.traceId === traceId);
    expect([name, found.length]).toEqual([name, 1]);
    return found[0]!;
  };
  const request = span("POST /api/v1/tasks", caller.traceId);
  const handle = span("handle", caller.traceId);
  const step = span("task.start", caller.traceId);
  const call = span("tools/call", caller.traceId);
  expect(request.parentSpanId).toBe(caller.spanId);
  expect(handle.parentSpanId).toBe(request.spanId);
  expect(step.parentSpanId).toBe(handle.spanId);
  expect(call.parentSpanId).toBe(step.spanId);
  expect(collector.attribute(request, "intray.request_id")).toBe(told.headers.get("x-request-id"));
  expect(collector.attribute(step, "intray.task_id")).toBe(told.body.id);
  expect(collector.attribute(call, "rpc.method")).toBe("tools/call");
  const meta = mcp.calls.slice(untold).map((one) => (one._meta as Record<string, unknown>).traceparent);
  expect(meta).toEqual([`00-${call.traceId}-${call.spanId}-01`]);
  expect(JSON.stringify(mcp.seen)).not.toMatch(/traceparent|baggage|tracestate/i);

  // The answer belongs to another call's trace, which names the task's.
  const answerId = answered.headers.get("x-request-id");
  const answer = collector.spans.find((one) => collector.attribute(one, "intray.request_id") === answerId)!;
  const delivery = span("answer.deliver", answer.traceId);
  expect(delivery.links).toMatchObject([{ traceId: caller.traceId, spanId: handle.spanId }]);
  expect(span("tasks/update", answer.traceId).parentSpanId).toBe(delivery.spanId);
  const changes = collector.spans.filter(({ name, links }) => name === "task.changed" && links.length > 0);
  expect(changes.some(({ links }) => links[0]?.traceId === caller.traceId)).toBe(true);

  const all = collector.bodies.join("");
  for (const name of ["s3cret", operator, "Secretive", mcp.hostAndPort, "INV-"])
    expect(all).not.toContain(name);

  // And the engine's log names both calls.
  for (const [text, id] of [
    ["a tool is called", told.headers.get("x-request-id")],
    ["an answer was delivered", answerId],
  ])
    expect([
      text,
      lines.some((line) => line.includes(`${text}"`) && line.includes(`"requestId":"${id}"`)),
    ]).toEqual([text, true]);
  expect(lines.join("")).not.toContain("s3cret");
});
