/** Servers that are as strict, and as careless, as real ones: a task's way from its start to its end on each. */
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";
import { type SessionServer, startSessionServer } from "../../../test/servers/session-server.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";

const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
let remote: SessionServer;
let server: { serverId: string; connectionId: string };
const queries = createQueries(() => fixture);

beforeEach(async () => {
  remote = await startSessionServer();
  server = await fixture.addServer(remote.url, "2025-11-25");
});
afterEach(() => remote.close());

const approve = { action: "accept" as const, content: { approve: true } };
const start = () => fixture.startTask(server, {}, tool("work", { taskSupport: "required" }));
const count = (method: string) => remote.seen.filter((one) => one.method === method).length;
async function running() {
  const id = await start();
  await queries.inState(id, "working");
  return { id, there: remote.tasks[0]! };
}
/** Runs a task from its question through the answer to its end. */
async function comesToItsEnd({ id, there }: Awaited<ReturnType<typeof running>>) {
  expect(remote.ask(there, "Really?")).not.toBeNull();
  const request = await queries.openRequest(id, "Really?");
  remote.behave.answer = (one) => Object.assign(one, { status: "completed" });
  await fixture.answer(request.id, approve);
  await queries.inState(id, "completed");
  expect((await queries.deliveryOf(request.id)).state).toBe("confirmed");
  expect(remote.answered).toHaveLength(1);
}

test("replies to polls that are cut half-way: the task comes to its end", async () => {
  let cuts = 0;
  const task = await running();
  remote.behave.cut = (method) => method === "tasks/get" && ++cuts <= 4;
  await until("some were cut", async () => cuts > 4);
  await comesToItsEnd(task);
});

test("errors of 64 KiB instead of the task for a while: it comes to its end", async () => {
  let garbage = 0;
  const task = await running();
  remote.behave.garbage = (method) => method === "tasks/get" && ++garbage <= 4;
  await until("some were garbage", async () => garbage > 4);
  await comesToItsEnd(task);
});

test("the reply to its result is cut half-way: it is fetched again", async () => {
  let cuts = 0;
  const { id, there } = await running();
  remote.behave.cut = (method) => method === "tasks/result" && ++cuts <= 2;
  there.status = "completed";
  expect((await queries.inState(id, "completed")).outcome).toBe("done");
  expect(cuts).toBe(3);
});

test("the reply to a cancel is cut half-way: it was cancelled, once", async () => {
  const { id } = await running();
  remote.behave.cut = (method) => method === "tasks/cancel";
  await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
  await queries.inState(id, "cancelled");
  expect(count("tasks/cancel")).toBe(1);
});

test("a session that ends takes its tasks along: they are lost, and few new sessions are opened for it", async () => {
  const { id } = await running();
  const before = count("initialize");
  remote.forgetSessions();
  await queries.inState(id, "lost");
  expect(count("initialize") - before).toBeLessThanOrEqual(2);
});

test("2026-07-28: polls and an answer whose replies are cut, and 64 KiB of errors between: told once, and done", async () => {
  const modern = await startTestServer();
  onTestFinished(() => modern.close());
  const added = await fixture.addServer(modern.url, "2026-07-28");
  const id = await fixture.startTask(added, {}, tool("approve"));
  const request = await queries.openRequest(id);
  const left = { "tasks/get": 3, "tasks/update": 1 } as Record<string, number>;
  let garbage = 0;
  modern.behave.cut = (method) => (left[method] ?? 0) > 0 && left[method]!-- > 0;
  modern.behave.garbage = (method) => method === "tasks/get" && left["tasks/get"] === 0 && ++garbage <= 3;
  await fixture.answer(request.id, approve);
  await queries.inState(id, "completed");
  expect(modern.answers).toHaveLength(1);
  expect((await queries.deliveryOf(request.id)).state).toBe("confirmed");
});

test("a task that is not known is HTTP 404: it is lost, and few new sessions are opened for it", async () => {
  const { id } = await running();
  const before = count("initialize");
  remote.behave.missing = "http";
  remote.tasks.length = 0;
  await queries.inState(id, "lost");
  expect(count("initialize") - before).toBeLessThanOrEqual(2);
});

test("JSON-RPC ids that begin anew in a living session: each question is asked, and answered once", async () => {
  const { id, there } = await running();
  remote.ask(there, "First?");
  const first = await queries.openRequest(id, "First?");
  await fixture.answer(first.id, approve);
  await until("it is told", async () => remote.answered.length === 1);
  remote.restartIds();
  remote.ask(there, "Second?");
  const second = await queries.openRequest(id, "Second?");
  remote.behave.answer = (one) => Object.assign(one, { status: "completed" });
  await fixture.answer(second.id, approve);
  await queries.inState(id, "completed");
  expect(remote.answered.map((one) => one.id)).toEqual([0, 0]);
});

test("a server that took an answer and lost it, and asks the very same under the very same id: it is told once more", async () => {
  const { id, there } = await running();
  expect(remote.ask(there, "Approve?")).toBe(0);
  const { id: requestId } = await queries.openRequest(id, "Approve?");
  await fixture.answer(requestId, approve);
  await until("it has the answer", async () => (await queries.deliveryOf(requestId)).state === "accepted");
  // The server restarts with its sessions, but without the answers it received.
  remote.restartIds();
  remote.behave.answer = (one) => Object.assign(one, { status: "completed" });
  expect(remote.ask(there, "Approve?")).toBe(0);
  await queries.inState(id, "completed");
  expect(remote.answered.map((one) => one.id)).toEqual([0, 0]);
  expect(await queries.requestsOf(id)).toMatchObject([{ id: requestId, state: "settled" }]);
  expect(await queries.deliveryOf(requestId)).toMatchObject({ state: "confirmed", attempts: 2 });
});

test("a stream without headers before its first event: the task starts, and is heard", async () => {
  remote.behave.lateHeaders = true;
  await comesToItsEnd(await running());
});
