/** 2026-07-28: windows of polls, answers and rounds. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { APPROVAL_SCHEMA } from "../../../../test/fixtures/fake-task.ts";
import { until } from "../../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../../test/servers/mcp-server.ts";
import { FAIL_ONCE, loseReplyWhen, SLEEP, sleep, trigger } from "../../../../test/setup/windows.ts";

const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
let remote: TestServer;
let server: { serverId: string; connectionId: string };
const { task, request, requestsOf, deliveryOf, openRequest, inState } = createQueries(() => fixture);

beforeEach(async () => {
  remote = await startTestServer();
  server = await fixture.addServer(remote.url, "2026-07-28");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await remote.close();
});
const approve = { action: "accept" as const, content: { approve: true } };
const remoteOf = () => [...remote.tasks.values()].at(-1)!;
const start = (name: string) => fixture.startTask(server, {}, tool(name));

test("an answer is refused unread, storing that fails once, and its question goes: nobody says that it was taken", async () => {
  const id = await start("approve");
  const asked = await openRequest(id);
  const there = remoteOf();
  const write = await trigger(fixture, {
    on: "UPDATE OF state ON delivery",
    when: "OLD.state = 'sending' AND NEW.state = 'pending'",
    body: FAIL_ONCE,
  });
  remote.behave.refusedWith = (method) => {
    if (method !== "tasks/update") return null;
    there.status = "working";
    delete there.inputRequests;
    return 429;
  };
  await fixture.answer(asked.id, approve);
  await write.called();
  const over = await until("it is over", async () => {
    const row = await request(asked.id);
    return row.endedAt && row;
  });
  expect(remote.answers).toEqual([]);
  expect(over.state).toBe("withdrawn");
});

test("the reply of a round's second call is stored, and the reply of that commit is lost: the tool is called no more", async () => {
  const id = await start("order");
  const asked = await openRequest(id);
  const lost = loseReplyWhen(async (taskId) => taskId === id && (await task(id)).state === "completed");
  await fixture.answer(asked.id, { action: "accept", content: { n: 3 } });
  await inState(id, "completed");
  await until("the reply was lost", async () => lost.times === 1);
  await sleep(3_000);
  expect(remote.calls).toHaveLength(3);
  expect((await request(asked.id)).state).toBe("settled");
});

test("the next round is stored, and the reply of that commit is lost: its answers go once, each to its own round", async () => {
  remote.behave.onOrder = "again";
  const id = await start("order");
  const asked = await openRequest(id);
  const lost = loseReplyWhen(async (taskId) => taskId === id && (await requestsOf(id)).length === 2);
  await fixture.answer(asked.id, { action: "accept", content: { n: 3 } });
  const next = await until("the next round is open", async () => {
    const rows = await requestsOf(id);
    return rows.find((row) => row.id !== asked.id && row.state === "open");
  });
  await until("the reply was lost", async () => lost.times === 1);
  await sleep(2_000);
  remote.behave.onOrder = undefined;
  await fixture.answer(next.id, { action: "accept", content: { n: 4 } });
  await inState(id, "completed");
  expect(
    remote.calls.filter(({ inputResponses }) => JSON.stringify(inputResponses)?.includes("3")),
  ).toHaveLength(1);
  expect(
    remote.calls.filter(({ inputResponses }) => JSON.stringify(inputResponses)?.includes("4")),
  ).toHaveLength(1);
});

test("the commit of a round's answers is stored and its reply is lost: the call is not made without people knowing", async () => {
  const id = await start("order");
  const asked = await openRequest(id);
  const calls = remote.calls.length;
  const lost = loseReplyWhen(async (taskId) => taskId === id && (await task(id)).state === "starting");
  await fixture.answer(asked.id, { action: "accept", content: { n: 3 } });
  await until("the reply was lost", async () => lost.times === 1);
  await until("it is settled", async () => {
    const row = await task(id);
    return ["completed", "start_unknown", "failed", "lost"].includes(row.state) && row;
  });
  expect(remote.calls.length - calls).toBeLessThan(2);
});

test("the first write of a question fails: the next poll, though it says the same, has it asked", async () => {
  const write = await trigger(fixture, { on: "INSERT ON input_request", when: "true", body: FAIL_ONCE });
  const id = await start("approve");
  await write.called();
  await openRequest(id);
  expect(await requestsOf(id)).toHaveLength(1);
});

test("another question takes the key while the answer is being committed as sent: it does not get that answer", async () => {
  const id = await start("approve");
  const asked = await openRequest(id);
  const there = remoteOf();
  const sending = await trigger(fixture, {
    timing: "AFTER",
    on: "UPDATE OF state ON delivery",
    when: "NEW.state = 'sending' AND OLD.state <> 'sending'",
    body: SLEEP(3),
  });
  await fixture.answer(asked.id, approve);
  await sending.called();
  const params = { mode: "form", message: "Delete the ledger?", requestedSchema: APPROVAL_SCHEMA };
  there.inputRequests = { approval: { method: "elicitation/create", params } };
  const next = await openRequest(id, "Delete the ledger?");
  expect(remote.answers).toEqual([]);
  await sending.drop();
  await fixture.answer(next.id, approve);
  await inState(id, "completed");
  expect(remote.answers).toHaveLength(1);
});

test("the commit of an answer as sent takes long, and the key shows the same question still: it is sent once", async () => {
  const id = await start("approve");
  const asked = await openRequest(id);
  await trigger(fixture, {
    timing: "AFTER",
    on: "UPDATE OF state ON delivery",
    when: "NEW.state = 'sending' AND OLD.state <> 'sending'",
    body: SLEEP(3),
  });
  await fixture.answer(asked.id, approve);
  await inState(id, "completed");
  expect(remote.answers).toHaveLength(1);
  expect((await deliveryOf(asked.id)).attempts).toBe(1);
});

test("the commit of an answer as sent is stored and its reply is lost: it is sent once", async () => {
  const id = await start("approve");
  const asked = await openRequest(id);
  let is = false;
  const lost = loseReplyWhen(async (taskId) => {
    if (taskId !== id) return false;
    is ||= (await deliveryOf(asked.id).catch(() => null))?.state === "sending";
    return is;
  });
  await fixture.answer(asked.id, approve);
  await until("the reply was lost", async () => lost.times === 1);
  await inState(id, "completed");
  expect(remote.answers).toHaveLength(1);
});

test("the commit of an accepted answer is slow while the task ends: it is confirmed, and sent once", async () => {
  const id = await start("approve");
  const asked = await openRequest(id);
  await trigger(fixture, {
    on: "UPDATE OF state ON delivery",
    when: "NEW.state = 'accepted'",
    body: SLEEP(2),
  });
  await fixture.answer(asked.id, approve);
  await inState(id, "completed");
  expect(remote.answers).toHaveLength(1);
  expect((await deliveryOf(asked.id)).state).toBe("confirmed");
});

test("a cancel comes while an answer is being committed as sent: both, in this order, and the task is cancelled by the server's word", async () => {
  const id = await start("approve");
  const asked = await openRequest(id);
  const sending = await trigger(fixture, {
    timing: "AFTER",
    on: "UPDATE OF state ON delivery",
    when: "NEW.state = 'sending' AND OLD.state <> 'sending'",
    body: SLEEP(2),
  });
  remote.behave.onUpdate = () => "ignore";
  await fixture.answer(asked.id, approve);
  await sending.called();
  const { requestCancel } = await import("../../../lifecycle/task-writes.ts");
  await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
  await inState(id, "cancelled");
  expect(remote.answers).toHaveLength(1);
});

test("a call was refused unread for its headers, and the tools can't be listed just now: it is not called unknown", async () => {
  remote.behave.requireHeader = "mcp-param-note";
  remote.behave.refusedWith = (method) => (method === "tools/list" ? 503 : null);
  const inputSchema = { type: "object", properties: { note: { type: "string", "x-mcp-header": "Old" } } };
  const id = await fixture.startTask(server, { note: "x" }, tool("quick", { inputSchema }));
  await sleep(2_000);
  remote.behave.refusedWith = undefined;
  const end = await until("it is settled", async () => {
    const row = await task(id);
    return ["completed", "start_unknown", "failed", "lost"].includes(row.state) && row;
  });
  expect(end.state).toBe("completed");
});
