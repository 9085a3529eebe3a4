/** 2026-07-28 beyond the usual: subscriptions, headers that changed, a ttl that runs out. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { lookInto } from "../../../test/fixtures/look.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { createWorld, until, type World } from "../../../test/fixtures/world.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";

let world: World;
let remote: TestServer;
let server: { serverId: string; connectionId: string };
const look = lookInto(() => world);

beforeAll(async () => {
  remote = await startTestServer();
  world = await createWorld([remote.hostAndPort]);
  server = await world.addServer(remote.url, "2026-07-28");
  await world.startEngine();
});
afterAll(async () => {
  await world?.close();
  await remote?.close();
});

const traits = async () =>
  (
    await world.within((tx) =>
      tx.server.findFirstOrThrow({ where: { organizationId: world.organizationId, id: server.serverId } }),
    )
  ).traits;

test("a server that tells of changes is followed for the tasks that run, and what it tells is looked at at once", async () => {
  remote.behave.subscribes = true;
  const id = await world.startTask(server, {}, tool("wait"));
  await look.inState(id, "working");
  const [theirs] = [...remote.tasks.values()];
  // From here on the polls alone would take a minute.
  theirs!.pollIntervalMs = 60_000;
  await until("it is followed", async () =>
    remote.subscriptions.told.some((ids) => ids.includes(theirs!.taskId)),
  );
  await until("its new interval is known", async () => (await look.task(id)).pollIntervalMs === 60_000);
  theirs!.status = "completed";
  Object.assign(theirs!, { result: { content: [{ type: "text", text: "told" }] } });
  remote.subscriptions.notify(theirs!.taskId);
  expect((await look.inState(id, "completed")).outcome).toBe("told");
  expect(await traits()).toMatchObject({ notifies: true });
});

test("a tool whose header rules changed since it was listed: they are read again, and the call is made once", async () => {
  remote.calls.length = 0;
  remote.behave.requireHeader = "mcp-param-note";
  const inputSchema = { type: "object", properties: { note: { type: "string", "x-mcp-header": "Old" } } };
  const id = await world.startTask(server, { note: "x" }, tool("quick", { inputSchema }));
  await look.inState(id, "completed");
  expect(remote.calls.length).toBe(1);
  remote.behave.requireHeader = "mcp-param-unheard-of";
  const other = await world.startTask(server, { note: "x" }, tool("quick", { inputSchema }));
  expect((await look.inState(other, "failed")).error).toMatchObject({ message: "Header mismatch" });
  expect(remote.calls.length).toBe(1);
  remote.behave.requireHeader = undefined;
});

test("10: a task that is gone after its ttl has expired; its question can't be answered, and nothing is sent", async () => {
  remote.told.length = 0;
  const id = await world.startTask(server, {}, tool("approve"));
  const request = await look.openRequest(id);
  const theirs = [...remote.tasks.values()].find(({ status }) => status === "input_required")!;
  theirs.ttlMs = 1_000;
  await until("its end is known", async () => (await look.task(id)).expiresAt);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  remote.tasks.delete(theirs.taskId);
  await look.inState(id, "expired");
  expect((await look.request(request.id)).state).toBe("expired");
  await expect(
    world.answer(request.id, { action: "accept", content: { approve: true } }),
  ).rejects.toMatchObject({ code: "no_longer_open" });
  expect(remote.told).toEqual([]);
});
