/** A server that people have paused: nothing new is sent to it, nothing is lost, and all goes on with it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { type SessionServer, startSessionServer } from "../../../test/servers/session-server.ts";
import { uuidv7 } from "../../base/ids.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import { pauseServer, resumeServer } from "../../servers/pause.ts";
import type { Engine } from "../engine.ts";

const PATIENCE_MS = 180_000;

const fixture = organizationForFile(["127.0.0.1"]);
let engine: Engine;
let remote: TestServer;
let other: TestServer;
let sessions: SessionServer;
let server: { serverId: string; connectionId: string };

beforeAll(async () => {
  engine = await fixture.startEngine();
  other = await startTestServer();
  sessions = await startSessionServer();
});
beforeEach(async () => {
  remote = await startTestServer();
  server = await fixture.addServer(remote.url, "2026-07-28");
  return () => remote.close();
});
afterAll(async () => {
  await other?.close();
  await sessions?.close();
});

const approve = { action: "accept" as const, content: { approve: true } };
const { task, openRequest, deliveryOfTask, inState } = createQueries(() => fixture, PATIENCE_MS);
const pause = (reason: string | null = null) =>
  fixture.within((tx) => pauseServer(tx, fixture.operator, server.serverId, reason));
const resume = () => fixture.within((tx) => resumeServer(tx, fixture.operator, server.serverId));
const anEvent = (type: string) =>
  fixture.within((tx) => tx.event.count({ where: { organizationId: fixture.organizationId, type } }));

/** Completes a task on another server, so the engine has had time to act on this one too. */
async function aWhile(): Promise<void> {
  const elsewhere = await fixture.addServer(other.url, "2026-07-28");
  for (let times = 0; times < 2; times++) {
    const id = await fixture.startTask(elsewhere, {}, tool("approve"));
    await fixture.answer((await openRequest(id)).id, approve);
    await inState(id, "completed");
  }
}

test("while it is paused nothing is polled, started, delivered or cancelled there, whatever engine; then all is", async () => {
  const asking = await fixture.startTask(server, {}, tool("approve"));
  const waiting = await fixture.startTask(server, {}, tool("wait"));
  const request = await openRequest(asking);
  await inState(waiting, "working");
  await pause("Maintenance");
  await aWhile();
  const before = remote.seen.length;

  const started = await fixture.startTask(server, {}, tool("quick"));
  await fixture.answer(request.id, approve);
  await fixture.within((tx) => requestCancel(tx, fixture.operator, waiting));
  await aWhile();
  await engine.stop();
  engine = await fixture.startEngine();
  await until("the new engine watches it", async () => engine.leases > 0 && true, PATIENCE_MS);
  await aWhile();

  expect(remote.seen.length).toBe(before);
  expect(await task(started)).toMatchObject({ state: "queued", error: null });
  expect(await deliveryOfTask(asking)).toMatchObject({ state: "pending", attempts: 0 });
  expect(await task(waiting)).toMatchObject({ state: "working", cancelSentAt: null });

  await resume();
  await inState(started, "completed");
  await inState(asking, "completed");
  await inState(waiting, "cancelled");
  expect(remote.answers).toHaveLength(1);
  expect(remote.calls.filter(({ name }) => name === "quick")).toHaveLength(1);
});

test("an answer that was being sent when the pause came is sent to its end, and no other is", async () => {
  const tasks = await Promise.all([1, 2, 3, 4, 5].map(() => fixture.startTask(server, {}, tool("approve"))));
  const requests = await Promise.all(tasks.map((id) => openRequest(id)));
  remote.behave.onUpdate = async () => {
    if (remote.answers.length === 1) await pause();
    return "take" as const;
  };
  await Promise.all(requests.map(({ id }) => fixture.answer(id, approve)));
  await until("the server was told of one", async () => remote.answers.length > 0, PATIENCE_MS);
  await aWhile();

  const deliveries = await Promise.all(tasks.map((id) => deliveryOfTask(id)));
  const states = deliveries.map(({ state }) => state);
  expect(states).not.toContain("sending");
  expect(states.filter((state) => state !== "pending")).toHaveLength(remote.answers.length);
  await resume();
  for (const id of tasks) await inState(id, "completed");
  expect(remote.answers).toHaveLength(tasks.length);
  expect(new Set(remote.answers.map(({ taskId }) => taskId)).size).toBe(tasks.length);
});

test("of two who pause at once one does, of two who resume at once one does", async () => {
  const [paused, resumed] = [await anEvent("server.paused"), await anEvent("server.resumed")];
  await Promise.all([pause("mine"), pause("mine too")]);
  expect(await anEvent("server.paused")).toBe(paused + 1);
  await Promise.all([resume(), resume()]);
  expect(await anEvent("server.resumed")).toBe(resumed + 1);
  await expect(
    fixture.within((tx) => pauseServer(tx, fixture.operator, uuidv7(), null)),
  ).rejects.toMatchObject({ code: "not_found" });
});

test("a call that fails by no trouble of the server's is made again after its pause, not at once", async () => {
  const asked: number[] = [];
  sessions.behave.call = () => {
    asked.push(performance.now());
    return asked.length < 4 ? 404 : undefined;
  };
  const refusing = await fixture.addServer(sessions.url, "2025-11-25");
  const id = await fixture.startTask(refusing, {}, tool("anything", { taskSupport: "required" }));
  await inState(id, "working");
  // The shortest possible sum of the pauses: a tenth of 500 ms, of 1 s, and so on.
  expect(asked).toHaveLength(4);
  expect(asked[3]! - asked[0]!).toBeGreaterThan(340);
});
