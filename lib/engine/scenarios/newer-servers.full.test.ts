/** Servers that send what only later versions of the tasks extension know: fields, settings, a status, another version. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import type { Engine } from "../engine.ts";

const fixture = organizationForFile(["127.0.0.1"]);
let remote: TestServer;
let server: { serverId: string; connectionId: string };
let engine: Engine;
const { task, inState, openRequest, request, requestsOf, health } = createQueries(() => fixture);

beforeEach(async () => {
  remote = await startTestServer();
  server = await fixture.addServer(remote.url, "auto");
  engine = await fixture.startEngine();
});
afterEach(async () => {
  await engine.stop();
  await remote.close();
});

const approve = { action: "accept" as const, content: { approve: true } };
const start = (name: string) => fixture.startTask(server, {}, tool(name));
const only = () => [...remote.tasks.values()][0]!;

test("fields, settings and notices that nobody knows change nothing: the task is asked, answered and ended as any", async () => {
  // Read where the engine finds the era out, before the first call.
  remote.behave.settings = {
    versions: ["1.4.0", "2.3.0"],
    requires: { protocolVersion: "2026-07-28" },
    odd: [null],
  };
  remote.behave.adds = () => ({
    eventSource: { name: 7, input: "none" },
    supportedActions: ["pause"],
    partialResults: [{ content: [] }],
    parentTaskId: "p-1",
    progress: { odd: true },
  });
  const id = await start("approve");
  const { id: requestId } = await openRequest(id);
  await fixture.answer(requestId, approve);
  expect((await inState(id, "completed")).result).toMatchObject({
    content: [{ text: expect.stringContaining("accept") }],
  });
  expect(await request(requestId)).toMatchObject({ state: "settled" });
  expect(await health(server.serverId)).toBe("ok");
});

test("a status that does not exist ends nothing and asks nothing anew: people read it, and the task goes on after it", async () => {
  const id = await start("approve");
  const { id: requestId } = await openRequest(id);
  const { inputRequests } = only();
  remote.behave.adds = () => ({
    status: "paused",
    statusMessage: "Somebody looks",
    inputRequests: undefined,
  });
  const paused = await until("people read it", async () => {
    const row = await task(id);
    return row.unknownSince !== null && row;
  });
  expect(paused).toMatchObject({
    state: "input_required",
    statusMessage: "The server’s status is “paused”. Somebody looks",
  });
  // Its question stands, as does the server's health.
  expect(await request(requestId)).toMatchObject({ state: "open" });
  expect(await health(server.serverId)).toBe("ok");
  remote.behave.adds = () => ({ inputRequests });
  await until("it is known again", async () => (await task(id)).unknownSince === null);
  remote.behave.adds = undefined;
  await fixture.answer(requestId, approve);
  await inState(id, "completed");
  expect(await requestsOf(id)).toHaveLength(1);
});

test("what is asked in a status that does not exist is asked all the same", async () => {
  remote.behave.adds = ({ status }) => (status === "input_required" ? { status: "needs_approval" } : {});
  const id = await start("approve");
  const { id: requestId } = await openRequest(id);
  expect(await task(id)).toMatchObject({ state: "input_required", unknownSince: expect.any(Date) });
  await fixture.answer(requestId, approve);
  await inState(id, "completed");
});

test("a task in a status that does not exist is cancelled", async () => {
  remote.behave.adds = ({ status }) => (status === "working" ? { status: "paused" } : {});
  const id = await start("wait");
  await until("people read it", async () => (await task(id)).unknownSince !== null);
  const { operator, within } = fixture;
  await within((tx) => requestCancel(tx, operator, id));
  await inState(id, "cancelled");
  expect(only().status).toBe("cancelled");
});

test("a server of another version of the extension refuses the call once, in its own words", async () => {
  const asked = { requested: "1.0.0", supported: ["2.3.0"] };
  remote.behave.refusesCalls = {
    code: -32005,
    message: "Unsupported extension version(s)",
    data: { extensions: { "io.modelcontextprotocol/tasks": asked } },
  };
  const id = await start("wait");
  expect((await inState(id, "failed")).error).toMatchObject({
    message: "Unsupported extension version(s)",
  });
  expect(remote.declared).toHaveLength(1);
});
