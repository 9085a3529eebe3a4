/** The acceptance scenarios that need a server which misbehaves on purpose: a real one, with switches. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { statementsOf } from "../../../test/guards/statements.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";
import { requestCancel, requestRefresh } from "../../lifecycle/task-writes.ts";
import { resend } from "../../requests/deliveries/delivery-writes.ts";
import type { Engine } from "../engine.ts";

const remote = forFile(startTestServer);
const fixture = organizationForFile(["127.0.0.1"]);
let server: { serverId: string; connectionId: string };
let engine: Engine;

beforeAll(async () => {
  server = await fixture.addServer(remote.url, "2026-07-28");
  engine = await fixture.startEngine();
});
beforeEach(() => {
  remote.behave = Object.assign(remote.behave, {
    onUpdate: undefined,
    onCall: undefined,
    onGet: undefined,
    cancelled: undefined,
    refusesCalls: undefined,
    refusedWith: undefined,
    onOrder: undefined,
    quick: undefined,
  });
  remote.answers.length = 0;
});
afterEach(() => remote.tasks.clear());

const { task, request, requestsOf, deliveryOf, openRequest, inState, health } = createQueries(() => fixture);
const approve = { action: "accept" as const, content: { approve: true } };
const remoteOf = () => [...remote.tasks.values()].at(-1)!;

test("3: a task that the server forgot is lost, keeps its arguments, and is never started again by itself", async () => {
  const id = await fixture.startTask(server, { note: "x" }, tool("wait"));
  await inState(id, "working");
  const calls = remote.calls.length;
  remote.tasks.clear();
  const lost = await inState(id, "lost");
  expect(lost.arguments).toEqual({ note: "x" });
  expect(remote.calls.length).toBe(calls);
});

test("5: an answer that is acknowledged but asked again is flagged after three polls; a person sends the same again", async () => {
  remote.behave.onUpdate = () => "ignore";
  const id = await fixture.startTask(server, {}, tool("approve"));
  const { id: requestId } = await openRequest(id);
  await fixture.answer(requestId, approve);
  await until("the delivery is flagged", async () => (await deliveryOf(requestId)).flagged);
  expect(remote.answers).toHaveLength(1);
  expect((await request(requestId)).state).toBe("answered");

  remote.behave.onUpdate = () => "take";
  await fixture.within((tx) => resend(tx, fixture.operator, requestId));
  await inState(id, "completed");
  expect(remote.answers).toHaveLength(2);
  expect(remote.answers[0]?.answer).toEqual(remote.answers[1]?.answer);
  expect((await deliveryOf(requestId)).state).toBe("confirmed");
});

test("6: a key used for another question is a new request; the old answer is not applied to it", async () => {
  remote.behave.onUpdate = (asked) => {
    const params = {
      mode: "form",
      message: "Really approve $2,000?",
      requestedSchema: { type: "object", properties: {} },
    };
    asked.inputRequests = { approval: { method: "elicitation/create", params } };
    return "ignore";
  };
  const id = await fixture.startTask(server, {}, tool("approve"));
  const first = await openRequest(id);
  await fixture.answer(first.id, approve);
  const second = await until("the second question", async () => {
    const open = (await requestsOf(id)).find((row) => row.state === "open");
    return open && open.id !== first.id && open;
  });
  expect(second.message).toBe("Really approve $2,000?");
  expect((await request(first.id)).state).toBe("settled");
  expect(remote.answers).toHaveLength(1);
});

test("2: the question changes before the answer is sent: the person decides again and sees the difference", async () => {
  const id = await fixture.startTask(server, {}, tool("approve"));
  const first = await openRequest(id);
  await fixture.answer(first.id, { ...approve, holdMs: 60_000 });
  const params = {
    mode: "form",
    message: "Approve the invoice of $9,999?",
    requestedSchema: { type: "object", properties: {} },
  };
  remoteOf().inputRequests = { approval: { method: "elicitation/create", params } };
  const second = await openRequest(id);
  expect(second.replaces).toBe(first.id);
  expect(await request(first.id)).toMatchObject({ state: "withdrawn", endedReason: "replaced" });
  expect(remote.answers).toHaveLength(0);
});

test("an answer whose acknowledgement is lost is found accepted, and not sent again", async () => {
  remote.behave.onUpdate = () => "drop";
  const id = await fixture.startTask(server, {}, tool("approve"));
  const { id: requestId } = await openRequest(id);
  await fixture.answer(requestId, approve);
  await inState(id, "completed");
  expect(remote.answers).toHaveLength(1);
  expect((await deliveryOf(requestId)).state).toBe("confirmed");
});

test("10: answering after the server withdrew its question is refused, and nothing is sent", async () => {
  const id = await fixture.startTask(server, {}, tool("approve"));
  const open = await openRequest(id);
  Object.assign(remoteOf(), { status: "working" });
  delete remoteOf().inputRequests;
  await until("the question is withdrawn", async () => (await request(open.id)).state === "withdrawn");
  await expect(fixture.answer(open.id, approve)).rejects.toMatchObject({ code: "no_longer_open" });
  expect(remote.answers).toHaveLength(0);
});

test("12: cancelled here although the server says input_required for ever, which is kept as the server's state", async () => {
  remote.behave.cancelled = "never";
  const id = await fixture.startTask(server, {}, tool("approve"));
  await openRequest(id);
  await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
  await until("the cancel was sent", async () => (await task(id)).cancelSentAt !== null);
  let polls = 0;
  remote.behave.onGet = () => polls++;
  const pollsOf = (count: number) => until(`${count} polls`, async () => polls >= count);
  // The poll after that reads once how long ago it was. Many tasks are cancelled at once, beside those of others.
  await pollsOf(2);
  const [, sent] = await statementsOf(() => pollsOf(5));
  expect(sent.filter((text) => /JOIN task_watch w ON/.test(text))).toEqual([]);
  const cancelled = await inState(id, "cancelled");
  expect(cancelled.serverState).toBe("input_required");
  expect(cancelled.watched).toBe(true);
  // After `WATCH_CANCELLED_MS` the engine polls the task no more.
  await fixture.within((tx) => tx.task.updateMany({ where: { id }, data: { watchUntil: new Date(0) } }));
  await fixture.within((tx) => requestRefresh(tx, fixture.operator, id));
  await until("nobody watches it any more", async () => !(await task(id)).watched);
});

test("19: the connection broke before the handle was told, and the tool may not be repeated: a person decides", async () => {
  remote.behave.onCall = () => "drop";
  const calls = remote.calls.length;
  const id = await fixture.startTask(server, {}, tool("wait"));
  await inState(id, "start_unknown");
  expect(remote.calls.length).toBe(calls + 1);
});

test("19: the same, but the tool honours the key: called again with the same key", async () => {
  let dropped = false;
  remote.behave.onCall = () => {
    if (dropped) return "answer";
    dropped = true;
    return "drop";
  };
  const calls = remote.calls.length;
  const id = await fixture.startTask(server, {}, tool("approve", { honoursIdempotencyKey: true }));
  await openRequest(id);
  const keys = remote.calls
    .slice(calls)
    .map((call) => (call._meta as Record<string, unknown>)["intray/idempotency-key"]);
  expect(keys).toEqual([id, id]);
});

describe("19: the first call may have run, and its repetition is refused before it runs", () => {
  /** Drops the first call's reply, and refuses the calls after it as long as `isBusy` says. */
  function dropFirst(): { isBusy: boolean; refused: number } {
    const server = { isBusy: true, refused: 0 };
    let called = false;
    remote.behave.onCall = () => {
      if (called) return "answer";
      called = true;
      return "drop";
    };
    remote.behave.refusedWith = (method) => {
      if (method !== "tools/call" || !called || !server.isBusy) return null;
      server.refused++;
      return 429;
    };
    return server;
  }

  test("cancelled meanwhile, its task is found by the key, and cancelled at the server", async () => {
    const busy = dropFirst();
    const id = await fixture.startTask(server, {}, tool("approve", { honoursIdempotencyKey: true }));
    await until("the repetition was refused", async () => busy.refused > 0);
    await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
    const seen = busy.refused;
    await until("it was refused once more", async () => busy.refused > seen);
    expect((await task(id)).state).toBe("starting");
    busy.isBusy = false;
    await inState(id, "cancelled");
    expect(remoteOf().status).toBe("cancelled");
  });

  test("not cancelled, it never waits in the queue, where a cancel would end it here alone", async () => {
    const busy = dropFirst();
    const id = await fixture.startTask(server, {}, tool("approve", { honoursIdempotencyKey: true }));
    await until("the repetition was refused", async () => busy.refused > 0);
    busy.isBusy = false;
    await openRequest(id);
    const events = await fixture.within((tx) => tx.event.findMany({ where: { taskId: id } }));
    expect(events.map(({ type }) => type)).not.toContain("task.not_started");
    expect(remote.tasks.size).toBe(1);
  });

  test("refused for good, a person decides: it has not failed", async () => {
    dropFirst().isBusy = false;
    const first = remote.behave.onCall!;
    remote.behave.onCall = (made) => {
      remote.behave.refusesCalls = { code: -32602, message: "No such tool" };
      return first(made);
    };
    const id = await fixture.startTask(server, {}, tool("approve", { honoursIdempotencyKey: true }));
    await inState(id, "start_unknown");
  });

  test("with a round's answers, they stay under way", async () => {
    remote.behave.onOrder = "drop";
    const id = await fixture.startTask(server, {}, tool("order", { honoursIdempotencyKey: true }));
    const open = await openRequest(id);
    let refused = 0;
    remote.behave.refusedWith = (method) => {
      if (method !== "tools/call" || !remote.calls.at(-1)?.inputResponses) return null;
      refused++;
      return 429;
    };
    await fixture.answer(open.id, { action: "accept", content: { n: 2 } });
    await until("the repetition was refused", async () => refused > 1);
    expect((await task(id)).state).toBe("starting");
    remote.behave.refusedWith = undefined;
    remote.behave.onOrder = undefined;
    await inState(id, "completed");
  });
});

test("a tool that answers at once is completed at once", async () => {
  const id = await fixture.startTask(server, {}, tool("quick"));
  expect((await inState(id, "completed")).outcome).toBe("done");
});

test("a protocol error ends as failed, with what the server said", async () => {
  const id = await fixture.startTask(server, {}, tool("refuse"));
  expect((await inState(id, "failed")).error).toMatchObject({
    code: "server_error",
    message: "Out of paper",
  });
});

test.each([
  ["a text", "Card declined by the bank", "Card declined by the bank"],
  ["an object without a message", { code: 51, reason: "declined" }, '{"code":51,"reason":"declined"}'],
  ["a message that is no text", { message: { en: "Card declined" } }, '{"en":"Card declined"}'],
  ["nothing", undefined, "The server gave no reason."],
])("a task that failed with %s as its error says so", async (_, error, message) => {
  const id = await fixture.startTask(server, {}, tool("wait"));
  await inState(id, "working");
  Object.assign(remoteOf(), { status: "failed", error });
  expect((await inState(id, "failed")).error).toMatchObject({ code: "server_error", message });
});

describe("a tool that takes calls only as tasks of the other era", () => {
  const words = "Tool quick requires task augmentation (taskSupport: 'required')";
  const hint = "Set the server’s protocol version to 2025-11-25, in which this tool takes calls.";

  test("refuses the call: what to set is said", async () => {
    remote.behave.refusesCalls = { code: -32601, message: words };
    const id = await fixture.startTask(server, {}, tool("quick"));
    expect((await inState(id, "failed")).error).toMatchObject({
      code: "rejected",
      message: `${words}. ${hint}`,
    });
  });

  test("answers with an error: what to set is said beside it", async () => {
    remote.behave.quick = { isError: true, content: [{ type: "text", text: `MCP error -32601: ${words}` }] };
    const id = await fixture.startTask(server, {}, tool("quick"));
    expect(await inState(id, "completed")).toMatchObject({ outcomeIsError: true, statusMessage: hint });
  });
});

test("a server that is down: the start waits in the queue with the reason, and can be cancelled there", async () => {
  const down = await startTestServer();
  await down.close();
  const elsewhere = await fixture.addServer(down.url, "2026-07-28");
  const id = await fixture.startTask(elsewhere, {}, tool("quick"));
  await until("the refusal is noted", async () => (await task(id)).error !== null);
  expect((await task(id)).error).toMatchObject({ code: "unreachable" });
  expect((await task(id)).state).toBe("queued");
  await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
  expect((await task(id)).state).toBe("cancelled");
});

test("stopping the engine answers and cancels nothing; the next one goes on where it was", async () => {
  const id = await fixture.startTask(server, {}, tool("approve"));
  const open = await openRequest(id);
  await engine.stop();
  expect(remote.answers).toHaveLength(0);
  expect(remoteOf().status).toBe("input_required");
  await fixture.answer(open.id, approve);
  engine = await fixture.startEngine();
  await inState(id, "completed");
  expect(remote.answers).toHaveLength(1);
});

test("a recovered server is noticed soon, however many tasks failed while it was down", async () => {
  const ids = await Promise.all(
    Array.from({ length: 12 }, () => fixture.startTask(server, {}, tool("wait"))),
  );
  for (const id of ids) await inState(id, "working");
  await remote.goDown();
  await until(
    "the server counts as unreachable",
    async () => (await health(server.serverId)) === "unreachable",
  );
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  for (const [taskId, waiting] of remote.tasks) remote.tasks.set(taskId, { ...waiting, status: "cancelled" });
  await remote.comeBack();
  for (const id of ids) await inState(id, "cancelled");
  expect(await health(server.serverId)).toBe("ok");
});
