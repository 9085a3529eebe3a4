/** 2026-07-28 beyond the usual: subscriptions, headers that changed, a ttl that runs out. */
import { beforeAll, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";

const remote = forFile(startTestServer);
const fixture = organizationForFile(["127.0.0.1"]);
let server: { serverId: string; connectionId: string };
const queries = createQueries(() => fixture);

beforeAll(async () => {
  server = await fixture.addServer(remote.url, "2026-07-28");
  await fixture.startEngine();
});

const traits = async () =>
  (
    await fixture.within((tx) =>
      tx.server.findFirstOrThrow({ where: { organizationId: fixture.organizationId, id: server.serverId } }),
    )
  ).traits;

test("a server with subscriptions is subscribed for running tasks, and a notification causes a poll at once", async () => {
  remote.behave.subscribes = true;
  const id = await fixture.startTask(server, {}, tool("wait"));
  await queries.inState(id, "working");
  const [theirs] = [...remote.tasks.values()];
  // From here on the polls alone would take a minute.
  theirs!.pollIntervalMs = 60_000;
  await until("it is followed", async () =>
    remote.subscriptions.taskIds.some((ids) => ids.includes(theirs!.taskId)),
  );
  await until("its new interval is known", async () => (await queries.task(id)).pollIntervalMs === 60_000);
  theirs!.status = "completed";
  Object.assign(theirs!, { result: { content: [{ type: "text", text: "told" }] } });
  remote.subscriptions.notify(theirs!.taskId);
  expect((await queries.inState(id, "completed")).outcome).toBe("told");
  expect(await traits()).toMatchObject({ notifies: true });
});

test("a tool whose header rules changed since it was listed: they are read again, and the call is made once", async () => {
  remote.calls.length = 0;
  remote.behave.requireHeader = "mcp-param-note";
  const inputSchema = { type: "object", properties: { note: { type: "string", "x-mcp-header": "Old" } } };
  const id = await fixture.startTask(server, { note: "x" }, tool("quick", { inputSchema }));
  await queries.inState(id, "completed");
  expect(remote.calls.length).toBe(1);
  remote.behave.requireHeader = "mcp-param-unheard-of";
  const other = await fixture.startTask(server, { note: "x" }, tool("quick", { inputSchema }));
  expect((await queries.inState(other, "failed")).error).toMatchObject({ message: "Header mismatch" });
  expect(remote.calls.length).toBe(1);
  remote.behave.requireHeader = undefined;
});

test("10: a task that is gone after its ttl has expired; its question can't be answered, and nothing is sent", async () => {
  remote.answers.length = 0;
  const id = await fixture.startTask(server, {}, tool("approve"));
  const request = await queries.openRequest(id);
  const theirs = [...remote.tasks.values()].find(({ status }) => status === "input_required")!;
  theirs.ttlMs = 1_000;
  await until("its end is known", async () => (await queries.task(id)).expiresAt);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  remote.tasks.delete(theirs.taskId);
  await queries.inState(id, "expired");
  expect((await queries.request(request.id)).state).toBe("expired");
  await expect(
    fixture.answer(request.id, { action: "accept", content: { approve: true } }),
  ).rejects.toMatchObject({ code: "no_longer_open" });
  expect(remote.answers).toEqual([]);
});
