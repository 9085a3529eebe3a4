import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type Database } from "@/lib/db.ts";
import { Engine } from "@/lib/engine/engine.ts";
import { createNetwork } from "@/lib/network.ts";
import { createSeal } from "@/lib/seal.ts";
import { startTestServer, type TestServer } from "@/lib/testing/mcp-server.ts";
import { startWeb, type TestWeb } from "@/lib/testing/web.ts";
import { until } from "@/lib/testing/world.ts";
import { withClient } from "@/scripts/database/roles.ts";

const TOKEN = "a token of the scraper";
let web: TestWeb;
let mcp: TestServer;
let database: Database;
let engine: Engine;
let operator: string;
let serverId: string;

beforeAll(async () => {
  mcp = await startTestServer();
  web = await startWeb(() => import("@/app/api/v1/openapi.json/paths.ts"), {
    INTRAY_ALLOW_HOSTS: mcp.hostAndPort,
    METRICS_TOKEN: TOKEN,
    LOG_LEVEL: "warn",
  });
  const acme = await web.organization("acme");
  operator = await web.key(acme, "operator");
  const admin = await web.key(acme, "admin");
  const body = { name: "Secretive ERP", url: mcp.url };
  serverId = (await web.call("POST", "/api/v1/servers", { key: admin, body })).body.id;
  database = createDatabase(web.database.engineUrl, { connections: 6 });
  engine = new Engine({
    database,
    databaseUrl: web.database.engineUrl,
    network: createNetwork({ allowHosts: [mcp.hostAndPort], denyPorts: [] }),
    seal: createSeal([{ kid: "k1", key: Buffer.alloc(32, 1) }]),
    log: pino({ level: "silent" }),
  });
  await engine.start();
});
afterAll(async () => {
  await engine.stop();
  await database.close();
  await web.stop();
  await mcp.close();
});

async function scrape(token = TOKEN): Promise<{ status: number; text: string }> {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const response = await web.open("GET", "/metrics", { headers });
  return { status: response.status, text: await response.text() };
}

/** The sum of the samples of a name whose labels contain `labels`. */
function sum(text: string, name: string, labels = ""): number | null {
  const found = text
    .split("\n")
    .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(labels));
  return found.length === 0 ? null : found.reduce((all, line) => all + Number(line.split(" ").at(-1)), 0);
}

test("the figures are for who knows the token", async () => {
  expect((await scrape("")).status).toBe(401);
  expect((await scrape("another token of somebody")).status).toBe(401);
  expect((await scrape()).status).toBe(200);
});

test("a task from its start over its question to its end is counted by web and engine, and named nowhere", async () => {
  const start = { key: operator, body: { serverId, tool: "approve", arguments: { secret: "s3cret" } } };
  const task = (await web.call("POST", "/api/v1/tasks", start)).body;
  const request = await until(
    "a question is open",
    async () =>
      (await web.call("GET", `/api/v1/input-requests?taskId=${task.id}`, { key: operator })).body.items[0],
    60_000,
  );
  const waiting = await until(
    "the question is counted",
    async () => {
      const { text } = await scrape();
      return sum(text, "intray_open_requests", 'age="1m"') === 1 ? text : null;
    },
    60_000,
  );
  expect(sum(waiting, "intray_open_tasks", 'state="input_required"')).toBe(1);
  expect(sum(waiting, "intray_oldest_request_seconds")).toBeGreaterThan(0);

  const detail = (await web.call("GET", `/api/v1/input-requests/${request.id}`, { key: operator })).body;
  const answer = { action: "accept", content: { approve: true }, questionHash: detail.questionHash };
  const path = `/api/v1/input-requests/${request.id}/answer`;
  expect((await web.call("POST", path, { key: operator, body: answer })).status).toBe(202);
  const text = await until(
    "the end is counted",
    async () => {
      const { text } = await scrape();
      return sum(text, "intray_events_total", 'type="task.completed"') ? text : null;
    },
    60_000,
  );

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
  expect(sum(text, "intray_chore_seconds_count", 'chore="metrics"')).toBeGreaterThan(0);
  expect(sum(text, "intray_follower_lag_seconds", 'follower="metrics"')).toBeGreaterThanOrEqual(0);
  expect(
    sum(
      text,
      "intray_http_request_seconds_count",
      'method="POST",route="/api/v1/input-requests/{id}/answer",status="202"',
    ),
  ).toBe(1);
  for (const name of ["acme", "Secretive", "approve", "s3cret", serverId, task.id, request.id, operator])
    expect(text).not.toContain(name);
}, 120_000);

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
