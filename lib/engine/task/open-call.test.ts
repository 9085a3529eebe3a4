/** Calls that are no tasks: one connection carries a call and its questions to their end. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { startEngineProcess } from "../../../test/engine-process.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { type SessionServer, startSessionServer } from "../../../test/servers/session-server.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import type { Tool } from "../../mcp/peer.ts";
import type { Engine } from "../engine.ts";

const patience = vi.hoisted(() => ({ cancelledMs: 600_000 }));
// Shortens the wait for an engine that does not come back, and sets that for the reply to a cancelled call.
vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  ELSEWHERE_MS: 2_000,
  get CANCELLED_REPLY_MS() {
    return patience.cancelledMs;
  },
}));

const fixture = organizationForFile(["127.0.0.1"]);
let remote: SessionServer;
let server: { serverId: string; connectionId: string };
let engine: Engine;
const queries = createQueries(() => fixture);

beforeEach(async () => {
  remote = await startSessionServer();
  server = await fixture.addServer(remote.url, "2025-11-25");
  engine = await fixture.startEngine();
});
afterEach(async () => {
  await engine.stop();
  await remote.close();
});

const PLAIN: Tool = {
  name: "work",
  title: null,
  description: null,
  inputSchema: { type: "object" },
  taskSupport: "forbidden",
  annotations: { idempotentHint: true },
  honoursIdempotencyKey: true,
};

const approve = { action: "accept" as const, content: { approve: true } };

/** Starts a call that the server keeps open. */
async function held(tool = PLAIN) {
  const id = await fixture.startTask(server, {}, tool);
  const call = await until("the server has the call", async () => remote.calls[0]);
  return { id, call };
}
const callsSeen = () => remote.seen.filter(({ method }) => method === "tools/call").length;

test("a blocking call shows as working and not durable, shows its progress, and ends with its result", async () => {
  const { id, call } = await held();
  await queries.inState(id, "working");
  expect((await queries.task(id)).durable).toBe(false);
  call.progress(3, 10);
  await until("the progress shows", async () => {
    const { progress } = await queries.task(id);
    return (progress as { progress?: number } | null)?.progress === 3;
  });
  call.finish("Sum: 42");
  expect((await queries.inState(id, "completed")).outcome).toBe("42");
  expect(callsSeen()).toBe(1);
});

test("a question during an open call is captured; the answer goes to its session, and the call continues", async () => {
  const { id, call } = await held();
  const rpcId = call.ask("Really?");
  const request = await queries.openRequest(id, "Really?");
  await queries.inState(id, "input_required");
  await fixture.answer(request.id, { action: "accept", content: { approve: true } });
  await until("the server has the answer", async () => remote.answered[0]);
  expect(remote.answered).toEqual([
    { session: call.session, id: rpcId, result: { action: "accept", content: { approve: true } } },
  ]);
  await queries.inState(id, "working");
  call.finish("done");
  await queries.inState(id, "completed");
  expect((await queries.request(request.id)).state).toBe("settled");
  expect(await queries.deliveryOf(request.id)).toMatchObject({
    state: "confirmed",
    attempts: 1,
    rung: "same_session",
  });
});

test("an answer whose connection is cut before it is read is sent once more under its id, and the call continues", async () => {
  const { id, call } = await held();
  const rpcId = call.ask("Really?");
  const request = await queries.openRequest(id, "Really?");
  let cut = 0;
  remote.behave.unread = () => ++cut === 1;
  await fixture.answer(request.id, approve);
  await until("the server has the answer", async () => remote.answered.length > 0);
  expect(cut).toBe(2);
  call.finish("done");
  await queries.inState(id, "completed");
  expect(remote.answered).toEqual([{ session: call.session, id: rpcId, result: approve }]);
  expect((await queries.request(request.id)).state).toBe("settled");
  expect(await queries.deliveryOf(request.id)).toMatchObject({ state: "confirmed", attempts: 2 });
});

test.each([
  { what: "ignores", status: undefined, ends: "confirmed" },
  { what: "refuses", status: 400, ends: "failed" },
])(
  "a server that took an answer without a reply, and $what the same id again: nobody is told that it was not sent",
  async (as) => {
    const { id, call } = await held();
    const rpcId = call.ask("Really?");
    const request = await queries.openRequest(id, "Really?");
    let cut = 0;
    remote.behave.cut = () => ++cut === 1;
    remote.behave.refusesAnswer = () => (remote.answered.length > 1 ? as.status : undefined);
    await fixture.answer(request.id, approve);
    await until("it is sent once more", async () => remote.answered.length === 2);
    expect(remote.answered.map((one) => one.id)).toEqual([rpcId, rpcId]);
    await until("its reply is known", async () => (await queries.deliveryOf(request.id)).state !== "sending");
    call.finish("done");
    await queries.inState(id, "completed");
    expect(remote.answered.length).toBe(2);
    const delivery = await queries.deliveryOf(request.id);
    expect(delivery).toMatchObject({ state: as.ends, inDoubt: true, attempts: 2 });
  },
);

test("a broken connection ends the task as lost, with its question; the tool is never called again automatically", async () => {
  const { id, call } = await held();
  call.ask("Really?");
  const request = await queries.openRequest(id, "Really?");
  await queries.inState(id, "input_required");
  call.cut();
  const lost = await queries.inState(id, "lost");
  expect(lost.error).toMatchObject({ code: "connection_lost" });
  expect((await queries.request(request.id)).state).toBe("withdrawn");
  expect(callsSeen()).toBe(1);
});

test("cancelled by a person: the server gets a cancellation of that call, and the task is cancelled", async () => {
  const { id, call } = await held();
  await queries.inState(id, "working");
  await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
  await queries.inState(id, "cancelled");
  expect(remote.givenUp).toEqual([call.id]);
});

test("an engine that is killed takes its open calls with it: lost, not repeated, and nothing is sent", {
  tags: ["full"],
}, async () => {
  await engine.stop();
  const process = await startEngineProcess(fixture.engineEnvironment);
  const { id } = await held();
  await queries.inState(id, "working");
  await process.kill();
  engine = await fixture.startEngine();
  expect((await queries.inState(id, "lost")).error).toMatchObject({ code: "connection_lost" });
  expect(callsSeen()).toBe(1);
  expect(remote.givenUp).toEqual([]);
});

test("an engine that is killed as soon as its call has asked: lost with its question, as the call has begun", {
  tags: ["full"],
}, async () => {
  await engine.stop();
  const process = await startEngineProcess(fixture.engineEnvironment);
  const { id, call } = await held({ ...PLAIN, annotations: null, honoursIdempotencyKey: false });
  await withClient(fixture.adminUrl, async (client) => {
    // With the task locked, the question is stored as heard, and nothing follows from it before the kill.
    await client.query("BEGIN");
    await client.query("SELECT FROM task WHERE id = $1 FOR NO KEY UPDATE", [id]);
    call.ask("Really?");
    await until("it is heard", async () => {
      const { rows } = await client.query("SELECT FROM stream_message WHERE stream_task_id = $1", [id]);
      return rows.length > 0;
    });
    await process.kill();
    await client.query("COMMIT");
  });
  expect((await queries.task(id)).state).toBe("starting");
  engine = await fixture.startEngine();
  expect((await queries.inState(id, "lost")).error).toMatchObject({ code: "connection_lost" });
  const live = (await queries.requestsOf(id)).filter(({ state }) => ["open", "answered"].includes(state));
  expect(live).toEqual([]);
  expect(callsSeen()).toBe(1);
});

describe("a slow tool of 2026-07-28", () => {
  let other: TestServer;
  let place: typeof server;
  let answer = () => {};
  beforeEach(async () => {
    other = await startTestServer();
    other.behave.onCall = () =>
      new Promise((resolve) => {
        answer = () => resolve("answer");
      });
  });
  afterEach(() => other.close());

  const slow: Tool = {
    ...PLAIN,
    name: "approve",
    taskSupport: "optional",
    honoursIdempotencyKey: false,
    annotations: null,
  };
  async function started() {
    place = await fixture.addServer(other.url, "2026-07-28");
    const id = await fixture.startTask(place, {}, slow);
    await queries.inState(id, "working");
    return id;
  }
  const cancel = (id: string) => fixture.within((tx) => requestCancel(tx, fixture.operator, id));

  test("is not durable until it has replied", async () => {
    const id = await started();
    expect((await queries.task(id)).durable).toBe(false);
    answer();
    const request = await queries.openRequest(id);
    expect(await queries.task(id)).toMatchObject({ state: "input_required", durable: true });
    await fixture.answer(request.id, { action: "accept", content: { approve: true } });
    await queries.inState(id, "completed");
    expect(other.calls.length).toBe(1);
  });

  test("that is cancelled before its handle comes is cancelled at the server", async () => {
    const id = await started();
    await cancel(id);
    // What comes after the cancel is done, and the call is still held.
    const later = await fixture.startTask(place, {}, { ...PLAIN, name: "quick" });
    await queries.inState(later, "completed");
    expect((await queries.task(id)).state).toBe("working");
    answer();
    await queries.inState(id, "cancelled");
    expect([...other.tasks.values()].map(({ status }) => status)).toEqual(["cancelled"]);
  });

  test("that is cancelled and does not reply is cut off", async () => {
    const id = await started();
    patience.cancelledMs = 0;
    onTestFinished(() => {
      patience.cancelledMs = 600_000;
    });
    await cancel(id);
    await queries.inState(id, "cancelled");
    await until("the call is dropped", async () => other.open === 0);
    expect(other.calls.length).toBe(1);
  });
});
