/** An engine with little memory among servers that send all they can: it lives, and serves the others. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "../../../test/engine-process.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { createSecondTenant, type SecondTenant } from "../../../test/fixtures/second-tenant.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { unreadable } from "../../../test/servers/hostile-acts.ts";
import { type Act, type HostileServer, startHostileServer } from "../../../test/servers/hostile-server.ts";

const PATIENCE_MS = 180_000;
const MEGABYTE = 1024 * 1024;
/** The heap that V8 may use, in MB: beyond it the process ends. */
const HEAP_MB = 160;
/** Less than five polls of three hundred tasks would occupy. */
const SMALL_HEAP_MB = 112;
const WORK = tool("work", { taskSupport: "required" });
const queries = createQueries(() => fixture, PATIENCE_MS);
const servers: HostileServer[] = [];
const fixture = organizationForFile(["127.0.0.1"]);
let secondTenant: SecondTenant;
let engine: EngineProcess;

beforeAll(async () => {
  secondTenant = await createSecondTenant(fixture, PATIENCE_MS);
  engine = await engineWithin(HEAP_MB);
});
afterAll(async () => {
  await engine.kill();
  for (const server of servers) await server.close();
  await secondTenant.close();
});

function engineWithin(megabytes: number): Promise<EngineProcess> {
  const few = { NODE_OPTIONS: `--max-old-space-size=${megabytes}` };
  return startEngineProcess({ ...fixture.engineEnvironment, ...few });
}

/** Eight valid megabytes, different at each poll. */
let times = 0;
const large: Act = ({ message, reply, result }) => {
  if (message.method !== "tasks/get") return false;
  const blob = "abcdefghij"[++times % 10]?.repeat(7 * MEGABYTE);
  reply({ ...result, statusMessage: `${times}`, blob, more: Array.from({ length: 50_000 }, () => ({})) });
  return true;
};
const FLOODS = [
  "nine megabytes",
  "endless bytes without a newline",
  "comments for ever",
  "events without end",
];

test("megabytes at every poll of sixty tasks: memory stays bounded, and the second tenant's task completes", async () => {
  await secondTenant.completesTask();
  const before = engine.memory();
  const floods = Object.entries(unreadable("tasks/get")).filter(([name]) => FLOODS.includes(name));
  const acts = [...floods.map(([, act]) => act), large, large];
  const started = [];
  for (const act of acts)
    for (const era of ["2025-11-25", "2026-07-28"] as const) {
      const server = await startHostileServer();
      servers.push(server);
      const added = await fixture.addServer(server.url, era);
      const ids = await Promise.all([1, 2, 3, 4, 5].map(() => fixture.startTask(added, {}, WORK)));
      started.push({ server, act, ids });
    }
  for (const { ids } of started) for (const id of ids) await queries.inState(id, "working");
  for (const { server, act } of started) server.act = act;

  let most = 0;
  const from = performance.now();
  for (const { server } of started) {
    const polls = () => server.seen.filter(({ method }) => method === "tasks/get").length;
    const before = polls();
    await until(
      "each server was polled some more",
      async () => {
        most = Math.max(most, engine.memory());
        return polls() > before || performance.now() > from + 15_000;
      },
      PATIENCE_MS,
    );
  }
  for (let round = 0; round < 2; round++) {
    await secondTenant.completesTask();
    most = Math.max(most, engine.memory());
  }
  // The heap, plus the read buffers, which lie outside it.
  expect(most - before).toBeLessThan((HEAP_MB + 256) * MEGABYTE);
  const rows = await fixture.within(
    (tx) => tx.$queryRaw<{ size: bigint }[]>`
    SELECT coalesce(sum(length(body::text)), 0) AS size FROM protocol_message`,
  );
  expect(Number(rows[0]?.size)).toBeLessThan(60 * 20 * 100_000);
}, 300_000);

/** A JSON-RPC error in HTTP 200, as long as the stored part of a message. */
const complaining: Act = ({ message, send }) => {
  if (message.method !== "tasks/get") return false;
  const data = Array.from({ length: 60 }, (_, at) => "abcdefghij"[(++times + at) % 10]?.repeat(1024));
  send({ jsonrpc: "2.0", id: message.id, error: { code: -32603, message: "Out of order", data } });
  return true;
};

test("three hundred tasks whose every poll fails with a long error: their messages take little memory", async () => {
  await engine.kill();
  for (const server of servers.splice(0)) await server.close();
  engine = await engineWithin(SMALL_HEAP_MB);
  const server = await startHostileServer();
  servers.push(server);
  const added = await fixture.addServer(server.url, "2026-07-28");
  const ids: string[] = [];
  for (let batch = 0; batch < 30; batch++)
    ids.push(...(await Promise.all(Array.from({ length: 10 }, () => fixture.startTask(added, {}, WORK)))));
  await until(
    "all of them run",
    async () =>
      (await fixture.within((tx) => tx.task.count({ where: { id: { in: ids }, state: "working" } }))) ===
      ids.length,
    2 * PATIENCE_MS,
  );
  const polls = new Map<string, number>();
  server.act = (asked) => {
    const { taskId } = asked.message.params;
    if (taskId !== undefined) polls.set(taskId, (polls.get(taskId) ?? 0) + 1);
    return complaining(asked);
  };
  await until(
    "each was polled five times in vain",
    async () => engine.memory() > 0 && polls.size === ids.length && Math.min(...polls.values()) >= 5,
    2 * PATIENCE_MS,
  );
  await secondTenant.completesTask();
}, 900_000);

let begin = () => {};
const begun = new Promise<void>((resolve) => {
  begin = resolve;
});
/** Sends different questions of seven megabytes on each standalone stream, all about an unknown task. */
const asking: Act = ({ request, response }) => {
  if (request.method !== "GET") return false;
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  const _meta = { "io.modelcontextprotocol/related-task": { taskId: "a stranger's" } };
  let id = 0;
  const more = () => {
    while (id < 8 && !response.destroyed) {
      const message = "abcdefgh"[id]?.repeat(7 * MEGABYTE);
      const params = { message, requestedSchema: { type: "object", properties: {} }, _meta };
      const text = JSON.stringify({ jsonrpc: "2.0", id: id++, method: "elicitation/create", params });
      if (!response.write(`data: ${text}\n\n`)) return void response.once("drain", more);
    }
  };
  void begun.then(more);
  return true;
};

test("questions of seven megabytes about unknown tasks, on five streams: the engine survives, and so does the next one", async () => {
  await engine.kill();
  for (const server of servers.splice(0)) await server.close();
  engine = await engineWithin(HEAP_MB);
  const server = await startHostileServer(asking);
  servers.push(server);
  const added = await fixture.addServer(server.url, "2025-11-25");
  const ids = await Promise.all([1, 2, 3, 4, 5].map(() => fixture.startTask(added, {}, WORK)));
  for (const id of ids) await queries.inState(id, "working");
  begin();
  const received = () =>
    fixture.within(
      (tx) => tx.$queryRaw<{ count: number; size: number }[]>`SELECT count(*)::integer AS count,
        coalesce(sum(length(params::text)), 0)::integer AS size FROM stream_message`,
    );
  await until(
    "all of them were heard",
    async () => engine.memory() > 0 && (await received())[0]!.count >= 40,
    PATIENCE_MS,
  );
  expect((await received())[0]!.size).toBeLessThan(MEGABYTE);
  await secondTenant.completesTask();
  await engine.kill();
  engine = await engineWithin(HEAP_MB);
  const polls = () => server.seen.filter(({ method }) => method === "tasks/get").length;
  const before = polls();
  await until("it has taken over", async () => engine.memory() > 0 && polls() > before + 5, PATIENCE_MS);
  await secondTenant.completesTask();
  for (const id of ids) expect(await queries.requestsOf(id)).toEqual([]);
}, 300_000);
