/** 2025-11-25 sessions, streams and questions, against a server that the test controls step by step. */
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { type SessionServer, startSessionServer } from "../../../test/servers/session-server.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import type { Tool } from "../../mcp/peer.ts";
import type { Engine } from "../engine.ts";

const fixture = organizationForFile(["127.0.0.1"]);
let remote: SessionServer;
let server: { serverId: string; connectionId: string };
let engine: Engine;

beforeAll(async () => {
  engine = await fixture.startEngine();
});
beforeEach(async () => {
  remote = await startSessionServer();
  server = await fixture.addServer(remote.url, "2025-11-25");
});
afterEach(() => remote.close());

const approve = { action: "accept" as const, content: { approve: true } };

const start = (more: Partial<Tool> = {}) =>
  fixture.startTask(server, {}, tool("work", { taskSupport: "required", ...more }));
const { task, requestsOf, deliveryOf, openRequest, asksOf, inState } = createQueries(() => fixture);
/** Starts a task and returns its id with the server's side. */
async function running() {
  const id = await start();
  await inState(id, "working");
  return { id, there: remote.tasks[0]! };
}
const answeredTo = () => remote.answered.map(({ id }) => id);

test("asked before the handle is told: the question is kept and answered, then the next one", async () => {
  remote.behave.call = async (there) => {
    remote.ask(there, "Early?");
    await new Promise((resolve) => setTimeout(resolve, 200));
    return undefined;
  };
  const id = await start();
  const early = await openRequest(id, "Early?");
  remote.behave.answer = (there) => {
    remote.behave.answer = undefined;
    remote.ask(there, "And then?");
  };
  await fixture.answer(early.id, approve);
  const next = await openRequest(id, "And then?");
  await expect.poll(async () => (await deliveryOf(early.id)).state).toBe("confirmed");
  remote.behave.answer = (there) => Object.assign(there, { status: "completed" });
  await fixture.answer(next.id, approve);
  await inState(id, "completed");
  expect(answeredTo()).toEqual([0, 1]);
});

test("a call that was refused at first: the stream of the session that counts is open when the server asks", async () => {
  let refused = false;
  remote.behave.call = () => {
    if (refused) return undefined;
    refused = true;
    return 429;
  };
  const { id, there } = await running();
  expect(remote.ask(there, "Heard?")).not.toBeNull();
  await openRequest(id, "Heard?");
  // The second try reuses the first one's session, because some servers allow few.
  const calls = remote.seen.filter(({ method }) => method === "tools/call");
  expect(calls.map(({ session }) => session)).toEqual([there.session, there.session]);
});

test("a call that is repeated with its key listens on the new session", async () => {
  let dropped = false;
  remote.behave.call = () => {
    if (dropped) return undefined;
    dropped = true;
    return "drop";
  };
  const id = await start({ honoursIdempotencyKey: true });
  await inState(id, "working");
  expect(remote.ask(remote.tasks[1]!, "Heard?")).not.toBeNull();
  await openRequest(id, "Heard?");
});

test("19: a start of unknown outcome leaves the session alone, for the task may live in it", async () => {
  remote.behave.call = () => "drop";
  const id = await start();
  await inState(id, "start_unknown");
  await engine.stop();
  engine = await fixture.startEngine();
  const deleted = remote.seen.filter(({ method }) => method === "DELETE").map(({ session }) => session);
  expect(deleted).not.toContain(remote.tasks[0]?.session);
});

test("a question that comes while the engine drains is kept", async () => {
  const { id, there } = await running();
  let answerPoll = () => {};
  const polled = new Promise<void>((resolve) => {
    remote.behave.get = () =>
      new Promise((done) => {
        answerPoll = done;
        resolve();
      });
  });
  await polled;
  const stopped = engine.stop();
  expect(remote.ask(there, "Late?")).not.toBeNull();
  await new Promise((resolve) => setTimeout(resolve, 100)); // the question is on its way, the poll not yet back
  remote.behave.get = undefined;
  answerPoll();
  await stopped;
  expect((await requestsOf(id)).map(({ message, state }) => [message, state])).toEqual([["Late?", "open"]]);
  engine = await fixture.startEngine();
  remote.behave.answer = (one) => Object.assign(one, { status: "completed" });
  await fixture.answer((await openRequest(id, "Late?")).id, approve);
  await inState(id, "completed");
});

test("after an engine restart the standalone stream is opened, not another one resumed", async () => {
  remote.behave.resumable = true;
  const { id, there } = await running();
  await engine.stop();
  engine = await fixture.startEngine();
  await until("somebody listens", async () => remote.ask(there, "Still there?") !== null);
  await openRequest(id, "Still there?");
});

test("asked again under new ids while the answer is held: it goes to the newest, once", async () => {
  const { id, there } = await running();
  remote.ask(there, "Same?");
  const request = await openRequest(id, "Same?");
  await fixture.answer(request.id, { ...approve, holdMs: 60_000 });
  const newest = remote.ask(there, "Same?");
  await until("it is known by both ids", async () => (await asksOf(request.id)) === 2);
  await fixture.endHold(request.id);
  remote.behave.answer = (one) => Object.assign(one, { status: "completed" });
  await inState(id, "completed");
  expect(await requestsOf(id)).toHaveLength(1);
  expect(answeredTo()).toEqual([newest]);
});

test("asked again after the answer was accepted: the answer follows to the new id", async () => {
  const { id, there } = await running();
  remote.ask(there, "Same?");
  const request = await openRequest(id, "Same?");
  remote.behave.answer = (one) => {
    remote.behave.answer = (again) => Object.assign(again, { status: "completed" });
    remote.ask(one, "Same?");
  };
  await fixture.answer(request.id, approve);
  await inState(id, "completed");
  expect(answeredTo()).toEqual([0, 1]);
  expect((await deliveryOf(request.id)).state).toBe("confirmed");
});

test("taken back by the server: the request is withdrawn, and answering is refused", async () => {
  const { id, there } = await running();
  const rpcId = remote.ask(there, "Sure?");
  const request = await openRequest(id, "Sure?");
  remote.notify(there, "notifications/cancelled", { requestId: rpcId });
  await until("it is withdrawn", async () => (await requestsOf(id))[0]?.state === "withdrawn");
  await expect(fixture.answer(request.id, approve)).rejects.toMatchObject({ code: "no_longer_open" });
  expect(remote.answered).toHaveLength(0);
});

test("a session that is gone when the answer leaves: a new one, the question again, the answer to its new id", async () => {
  remote.behave.acrossSessions = true;
  const { id, there } = await running();
  remote.ask(there, "Pay?");
  remote.behave.reissues = "Pay?";
  const request = await openRequest(id, "Pay?");
  const first = there.session;
  // The stream stays idle until the answer is sent, so that sending meets the lost session.
  remote.behave.listen = 500;
  remote.forgetSessions();
  remote.behave.answer = (one) => Object.assign(one, { status: "completed" });
  await fixture.answer(request.id, approve);
  await inState(id, "completed");
  expect(remote.answered).toHaveLength(1);
  expect(remote.answered[0]?.session).not.toBe(first);
  expect(await requestsOf(id)).toHaveLength(1);
  expect(await asksOf(request.id)).toBe(2);
});

test("a server that can't cancel: it is told all the same, so that the task ends here after a while", async () => {
  remote.behave.cancel = "unsupported";
  const { id } = await running();
  await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
  await until("the cancel counts as sent", async () => (await task(id)).cancelSentAt !== null);
});

test("cancelled while the call is under way: cancelled on the server as soon as the handle is known", async () => {
  let finishCall = () => {};
  remote.behave.call = () =>
    new Promise((resolve) => {
      finishCall = () => resolve(undefined);
    });
  const id = await start();
  await until("the call is under way", async () => remote.seen.some(({ method }) => method === "tools/call"));
  await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
  finishCall();
  await inState(id, "cancelled");
  expect(remote.tasks[0]?.status).toBe("cancelled");
});

test("a server that notifies at each poll is not polled in a hot loop", async () => {
  const { there } = await running();
  remote.behave.get = (one) => remote.notify(one, "notifications/tasks/status", { taskId: one.taskId });
  const polls = () => remote.seen.filter(({ method }) => method === "tasks/get").length;
  there.pollInterval = 60_000;
  const before = polls();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(polls() - before).toBeLessThanOrEqual(6);
});

test("a result that the server has and never gives: the task ends all the same", async () => {
  remote.behave.resultError = { code: -32602, message: "Task expired" };
  const { id, there } = await running();
  there.status = "completed";
  const done = await inState(id, "completed");
  expect(done.error).toMatchObject({ code: "result_missing" });
});

test("an answer that waits while the server does not find the task does not make a hot loop", async () => {
  const { id, there } = await running();
  remote.ask(there, "Pay?");
  const request = await openRequest(id, "Pay?");
  await fixture.answer(request.id, { ...approve, holdMs: 60_000 });
  remote.tasks.length = 0;
  await fixture.endHold(request.id);
  const polls = () => remote.seen.filter(({ method }) => method === "tasks/get").length;
  const before = polls();
  await inState(id, "lost");
  expect(polls() - before).toBeLessThanOrEqual(14);
  expect(remote.answered).toHaveLength(0);
});

test("durations and texts that can't be stored as they came are no news at each poll", async () => {
  remote.behave.call = (there) => {
    Object.assign(there, { ttl: 1e300, pollInterval: 50.4, statusMessage: "Half \u0000 done" });
    return undefined;
  };
  const { id } = await running();
  const polls = () => remote.seen.filter(({ method }) => method === "tasks/get").length;
  await until("it is polled", async () => polls() >= 2);
  const written = await task(id);
  const before = polls();
  await until("it is polled more", async () => polls() >= before + 3);
  expect((await task(id)).changedAt).toEqual(written.changedAt);
  const messages = await fixture.within((tx) =>
    tx.protocolMessage.count({
      where: { organizationId: fixture.organizationId, taskId: id, method: "tasks/get" },
    }),
  );
  expect(messages).toBeLessThanOrEqual(2);
});

test("a server that answers 404 where it has no standalone stream can start tasks all the same", async () => {
  remote.behave.listen = 404;
  const { there } = await running();
  expect(there).toBeDefined();
  expect(remote.seen.filter(({ method }) => method === "GET")).toHaveLength(1);
});
