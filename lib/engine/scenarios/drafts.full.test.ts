/** Servers that send what drafts of MCP add to tasks, to engines that use that (INTRAY_DRAFTS) and to those that do not. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { requestCancel } from "../../task-lifecycle/transitions.ts";
import type { Engine } from "../engine.ts";

let fixture: OrganizationFixture;
let remote: TestServer;
let server: { serverId: string; connectionId: string };
let engine: Engine;
const { task, inState, openRequest, request, requestsOf, health } = createQueries(() => fixture);

beforeAll(async () => {
  fixture = await createOrganizationFixture(["127.0.0.1"]);
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  remote = await startTestServer();
  server = await fixture.addServer(remote.url, "auto");
});
afterEach(async () => {
  await engine.stop();
  await remote.close();
});

const approve = { action: "accept" as const, content: { approve: true } };
const start = (name: string) => fixture.startTask(server, {}, tool(name));
const only = () => [...remote.tasks.values()][0]!;
const complete = () =>
  Object.assign(only(), { status: "completed", result: { content: [{ type: "text", text: "done" }] } });
const EVENT_SOURCE = { name: "ci.stage_results", input: { branch: "main" }, initialCursor: "c-0" };
const occurrence = (eventId: string, data: Record<string, unknown>) => ({
  eventId,
  name: EVENT_SOURCE.name,
  timestamp: "2026-11-26T12:00:00Z",
  data,
});

describe.each([false, true])("with drafts in use: %s", (usesDrafts) => {
  beforeEach(async () => {
    engine = await fixture.startEngine(undefined, { usesDrafts });
  });

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

  test("a source of events is read where drafts are in use, and ignored elsewhere; polls decide either way", async () => {
    remote.behave.adds = () => ({ eventSource: EVENT_SOURCE });
    const asked: Record<string, unknown>[] = [];
    let cursor = 0;
    remote.behave.onEvents = (params) => {
      asked.push(params);
      const events = [
        occurrence("e-1", { stage: "build", status: "passed" }),
        occurrence("e-2", { summary: `Tests run in ${only().taskId}` }),
      ].slice(cursor, cursor + 1);
      cursor += events.length;
      return { events, cursor: `c-${cursor}`, hasMore: cursor < 2, truncated: false, nextPollMs: 10 };
    };
    const id = await start("wait");
    await inState(id, "working");
    expect(remote.declared).toMatchObject([
      usesDrafts
        ? { events: {}, extensions: { "io.modelcontextprotocol/tasks": { version: "1.0.0" } } }
        : { extensions: { "io.modelcontextprotocol/tasks": {} } },
    ]);
    if (usesDrafts) {
      const { progress } = await until("its events are shown", async () => {
        const row = await task(id);
        return JSON.stringify(row.progress)?.includes("Tests run") && row;
      });
      // The task's id is masked, as wherever people read.
      expect(progress).toMatchObject({
        progress: 2,
        total: null,
        message: expect.not.stringContaining(only().taskId),
      });
      expect(asked.slice(0, 2)).toMatchObject([
        { name: EVENT_SOURCE.name, arguments: EVENT_SOURCE.input, cursor: "c-0", timeoutMs: 0 },
        { cursor: "c-1" },
      ]);
    }
    complete();
    await inState(id, "completed");
    if (!usesDrafts) {
      expect(asked).toEqual([]);
      expect(remote.declared[0]).not.toHaveProperty("events");
      expect(remote.declared[0]).not.toHaveProperty([
        "extensions",
        "io.modelcontextprotocol/tasks",
        "version",
      ]);
      expect((await task(id)).progress).toBeNull();
    }
  });

  test.each<[string, TestServer["behave"]["onEvents"]]>([
    ["refused", undefined],
    [
      "nonsense",
      () => ({ events: [7, { data: 3 }, null], cursor: { odd: true }, hasMore: "yes", nextPollMs: -1 }),
    ],
    ["for ever more", () => ({ events: [], cursor: "c", hasMore: true })],
  ])("events that are %s leave the task to its polls", async (_, onEvents) => {
    remote.behave.adds = () => ({ eventSource: EVENT_SOURCE });
    remote.behave.onEvents = onEvents;
    const id = await start("approve");
    await fixture.answer((await openRequest(id)).id, approve);
    await inState(id, "completed");
    expect(await health(server.serverId)).toBe("ok");
  });
});
