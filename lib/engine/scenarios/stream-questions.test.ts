/** 2025-11-25: what a server asks on its streams is in the inbox within a moment, whatever else goes wrong. */
import { Client } from "pg";
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { startEngineProcess } from "../../../test/engine-process.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { type SessionServer, startSessionServer } from "../../../test/servers/session-server.ts";
import { createDatabase } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Tool } from "../../mcp/peer.ts";
import { recordStreamMessages } from "../../mcp/stream-messages/stream-message-writes.ts";
import { readTask } from "../../tasks/task-reads.ts";
import type { Engine } from "../engine.ts";
import { SCAN_ALL_MS } from "../tunables.ts";

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
const { task, requestsOf, deliveryOf, openRequest, asksOf, inState, request } = createQueries(() => fixture);
async function running() {
  const id = await start();
  await inState(id, "working");
  return { id, there: remote.tasks[0]! };
}
/** Asks until the engine has a stream open. */
const received = (there: SessionServer["tasks"][number], message: string) =>
  until("somebody listens", async () => remote.ask(there, message) !== null);
/** Waits until the engine has a stream of the task's session open. */
const listening = (there: SessionServer["tasks"][number]) =>
  until("somebody listens", async () =>
    remote.seen.some(({ method, session }) => method === "GET" && session === there.session),
  );
/** Counts the polls from now on. */
function countPolls() {
  let count = 0;
  remote.behave.get = () => void count++;
  return { polls: (more: number) => until(`${more} polls`, async () => count >= more) };
}
/** Asks what is heard, and can't be stored before the transaction of the returned client ends. */
async function askUnstored(there: SessionServer["tasks"][number], message: string): Promise<Client> {
  const admin = new Client({ connectionString: fixture.adminUrl });
  await admin.connect();
  onTestFinished(() => admin.end());
  await admin.query("BEGIN");
  await admin.query("LOCK TABLE stream_message IN SHARE MODE");
  remote.ask(there, message);
  await until("it was heard, and can't be stored", async () => {
    const { rows } = await admin.query(
      "SELECT FROM pg_locks WHERE NOT granted AND relation = 'stream_message'::regclass",
    );
    return rows.length > 0;
  });
  return admin;
}
const answeredTo = () => remote.answered.map(({ id }) => id);

test("a server that asks us to wait an hour, and asks a question: it is open at once", async () => {
  const { id, there } = await running();
  remote.behave.busy = true;
  await until("it is left alone", async () => {
    const row = await fixture.within((tx) =>
      tx.connection.findFirstOrThrow({
        where: { organizationId: fixture.organizationId, id: server.connectionId },
      }),
    );
    return row.circuitFailures > 0;
  });
  expect(remote.ask(there, "While we wait?")).not.toBeNull();
  await openRequest(id, "While we wait?");
});

test("a start of unknown outcome keeps the question that came during it", async () => {
  remote.behave.call = (there) => {
    remote.ask(there, "Did it start?");
    return "drop";
  };
  const id = await start();
  await inState(id, "start_unknown");
  expect(await requestsOf(id)).toMatchObject([{ message: "Did it start?", state: "open" }]);
});

test("a question that was stored late, of a task that nobody watches, where nothing else runs: it is asked", async () => {
  remote.behave.call = () => "drop";
  const id = await start();
  await inState(id, "start_unknown");
  await engine.stop();
  const address = { kind: "rpc", rpcId: 5 } as const;
  const question = { address, mode: "form", message: "Late?", requestedSchema: null, url: null } as const;
  const said = { rpcId: 5, question, streamTaskId: id, namedDigest: null, replayed: false, heardAgoMs: 0 };
  const sessionDigest = Buffer.alloc(32, 7);
  const late = createDatabase(fixture.adminUrl, { connections: 1 });
  await late.withOrganization(fixture.organizationId, (tx) =>
    recordStreamMessages(tx, server.connectionId, [{ ...said, id: uuidv7(), sessionDigest, candidates: [] }]),
  );
  await late.close();
  engine = await fixture.startEngine();
  await openRequest(id, "Late?");
  // The text is stored with the request, and not again in the stream message's row.
  const rows = await fixture.within((tx) => tx.streamMessage.findMany({ where: { taskId: id } }));
  expect(rows).toMatchObject([{ params: {}, handledAt: expect.any(Date) }]);
});

test("a call's stream that breaks and is put again from its beginning: what was answered is not asked twice", async () => {
  remote.behave.resumable = true;
  const id = await start({ taskSupport: "forbidden" });
  const call = await until("the call is open", async () => remote.calls[0]);
  call.ask("First?");
  const first = await openRequest(id, "First?");
  await fixture.answer(first.id, approve);
  await until("it is told", async () => remote.answered.length === 1);
  call.ask("Second?");
  const second = await openRequest(id, "Second?");
  await until("the first is settled", async () => (await request(first.id)).state === "settled");
  call.cut();
  const gets = () => remote.seen.filter(({ lastEventId }) => lastEventId === "call");
  await until("it was gone on with", async () => gets().length > 0);
  // The last message is stored last.
  call.ask("Third?");
  const third = await openRequest(id, "Third?");
  expect((await requestsOf(id)).map((row) => row.id)).toEqual([first.id, second.id, third.id]);
});

test("a question that names its task right after the handle, while that can't be stored yet: it is open as soon as it can", async () => {
  remote.behave.namesTask = true;
  let reply = () => {};
  remote.behave.call = () =>
    new Promise((resolve) => {
      reply = () => resolve(undefined);
    });
  const id = await start();
  await inState(id, "starting");
  await withClient(fixture.adminUrl, async (client) => {
    await client.query("BEGIN");
    await client.query("SELECT FROM task WHERE id = $1 FOR UPDATE", [id]);
    reply();
    const there = await until("the server has it", async () => remote.tasks[0]);
    await until("the handle waits to be stored", async () => {
      // Otherwise a transaction sees the sessions as of its first read.
      await client.query("SELECT pg_stat_clear_snapshot()");
      const { rows } = await client.query(`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return rows.length > 0;
    });
    expect(remote.ask(there!, "So soon?")).not.toBeNull();
    await until("it is stored", async () => {
      const { rows } = await client.query("SELECT FROM stream_message WHERE connection_id = $1", [
        server.connectionId,
      ]);
      return rows.length > 0;
    });
    await client.query("COMMIT");
  });
  const from = performance.now();
  await openRequest(id, "So soon?");
  // At the latest a scan would find it.
  expect(performance.now() - from).toBeLessThan(SCAN_ALL_MS / 2);
});

test("an engine that is killed while a call is under way: the question that came is kept", {
  tags: ["full"],
}, async () => {
  await engine.stop();
  const first = await startEngineProcess(fixture.engineEnvironment);
  remote.behave.call = (there) => {
    remote.ask(there, "Before the handle?");
    return new Promise(() => undefined);
  };
  const id = await start();
  await openRequest(id, "Before the handle?");
  expect((await task(id)).state).toBe("starting");
  await first.kill();
  engine = await fixture.startEngine();
  await inState(id, "start_unknown");
  expect(await requestsOf(id)).toMatchObject([{ message: "Before the handle?", state: "open" }]);
});

test("two questions at once: both are open, each answer goes to its own, and the task goes on", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  const asked = [remote.ask(there, "Amount right?"), remote.ask(there, "Cost centre right?")];
  const [amount, centre] = [
    await openRequest(id, "Amount right?"),
    await openRequest(id, "Cost centre right?"),
  ];
  const open = new Set<unknown>(asked);
  remote.behave.answer = (one, rpcId) => {
    open.delete(rpcId);
    if (open.size === 0) one.status = "completed";
  };
  await fixture.answer(amount.id, approve);
  await until("the first is told", async () => remote.answered.length === 1);
  expect((await request(centre.id)).state).toBe("open");
  expect((await deliveryOf(amount.id)).flagged).toBe(false);
  await fixture.answer(centre.id, approve);
  await inState(id, "completed");
  expect(answeredTo()).toEqual(asked);
  for (const { id: requestId } of [amount, centre])
    expect((await deliveryOf(requestId)).state).toBe("confirmed");
});

test("a server that calls itself working after any of two answers: the other question stays open, and is answered", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  const asked = [remote.ask(there, "Amount right?"), remote.ask(there, "Cost centre right?")];
  const [amount, centre] = [
    await openRequest(id, "Amount right?"),
    await openRequest(id, "Cost centre right?"),
  ];
  await inState(id, "input_required");
  // Like a server that asks from two places at once: each place continues with its own answer.
  const open = new Set<unknown>(asked);
  remote.behave.answer = (one, rpcId) => {
    open.delete(rpcId);
    one.status = open.size === 0 ? "completed" : "working";
  };
  await fixture.answer(amount.id, approve);
  await inState(id, "working");
  expect((await request(amount.id)).state).toBe("settled");
  expect((await request(centre.id)).state).toBe("open");
  await fixture.answer(centre.id, approve);
  await inState(id, "completed");
  expect(answeredTo()).toEqual(asked);
  expect((await deliveryOf(centre.id)).state).toBe("confirmed");
});

test("the same while the other answer is held: it is sent after its hold", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  const asked = [remote.ask(there, "Amount right?"), remote.ask(there, "Cost centre right?")];
  const [amount, centre] = [
    await openRequest(id, "Amount right?"),
    await openRequest(id, "Cost centre right?"),
  ];
  await inState(id, "input_required");
  const open = new Set<unknown>(asked);
  remote.behave.answer = (one, rpcId) => {
    open.delete(rpcId);
    one.status = open.size === 0 ? "completed" : "working";
  };
  await fixture.answer(centre.id, { ...approve, holdMs: 60_000 });
  await fixture.answer(amount.id, approve);
  await inState(id, "working");
  expect((await request(centre.id)).state).toBe("answered");
  expect((await deliveryOf(centre.id)).state).toBe("held");
  await fixture.endHold(centre.id);
  await inState(id, "completed");
  expect(answeredTo()).toEqual(asked);
});

test("a second question while the first answer is held: the answer is sent all the same", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  const first = remote.ask(there, "First?");
  const { id: requestId } = await openRequest(id, "First?");
  await fixture.answer(requestId, { ...approve, holdMs: 60_000 });
  remote.ask(there, "Second?");
  await openRequest(id, "Second?");
  expect((await request(requestId)).state).toBe("answered");
  await fixture.endHold(requestId);
  await until("it is told", async () => remote.answered.length === 1);
  expect(answeredTo()).toEqual([first]);
});

test("a server whose standalone stream has no headers before its first event: tasks start, and it is heard", async () => {
  remote.behave.lateHeaders = true;
  const { id, there } = await running();
  expect(remote.ask(there, "At last?")).not.toBeNull();
  await openRequest(id, "At last?");
  expect(remote.seen.filter(({ method }) => method === "GET")).toHaveLength(1);
});

test("asked again, or something else, before the server's own 2xx to the answer: the answer follows, the next is asked", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  await received(there, "Same?");
  const { id: requestId } = await openRequest(id, "Same?");
  let said = 0;
  const before = async () => {
    said++;
    const message = said === 1 ? "Same?" : "Something else?";
    if (said > 2) return void Object.assign(there, { status: "completed" });
    remote.ask(there, message);
    // The message is stored while the answer is being sent.
    await until("it is stored", async () =>
      said === 1
        ? (await asksOf(requestId)) === 2
        : (await requestsOf(id)).some((row) => row.message === message),
    );
  };
  remote.behave.beforeAccepted = before;
  await fixture.answer(requestId, approve);
  const other = await openRequest(id, "Something else?");
  await until("the first is settled", async () => (await request(requestId)).state === "settled");
  await fixture.answer(other.id, approve);
  await inState(id, "completed");
  expect(new Set(answeredTo()).size).toBe(3);
});

test("a question from elsewhere in the tool, before the 2xx to another's answer: it stays open when the task works again", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  await received(there, "Amount right?");
  const amount = await openRequest(id, "Amount right?");
  await inState(id, "input_required");
  remote.behave.beforeAccepted = async () => {
    remote.behave.beforeAccepted = undefined;
    remote.ask(there, "Cost centre right?");
    await openRequest(id, "Cost centre right?");
  };
  remote.behave.answer = (one) => Object.assign(one, { status: "working" });
  await fixture.answer(amount.id, approve);
  await inState(id, "working");
  expect((await request(amount.id)).state).toBe("settled");
  const centre = await openRequest(id, "Cost centre right?");
  remote.behave.answer = (one) => Object.assign(one, { status: "completed" });
  await fixture.answer(centre.id, approve);
  await inState(id, "completed");
});

test("a question that came before another's answer was sent, and is stored after it, does not settle that answer", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  await received(there, "Amount right?");
  const amount = await openRequest(id, "Amount right?");
  const admin = await askUnstored(there, "Which year?");
  // This question is stored together with the blocked one.
  remote.ask(there, "Cost centre right?");
  await remote.ping(there);
  await fixture.answer(amount.id, approve);
  await until("the answer was taken", async () => (await deliveryOf(amount.id)).state === "accepted");
  await admin.query("COMMIT");
  const centre = await openRequest(id, "Cost centre right?");
  expect((await deliveryOf(amount.id)).state).toBe("accepted");
  // A question after the answer proves that the server has moved on.
  remote.ask(there, "Which currency?");
  await until("the first is settled", async () => (await request(amount.id)).state === "settled");
  expect((await request(centre.id)).state).toBe("open");
});

test("the same words once more before their answer was sent, stored after it was settled: nobody is asked again", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  await received(there, "Same?");
  const first = await openRequest(id, "Same?");
  await inState(id, "input_required");
  const admin = await askUnstored(there, "Same?");
  remote.behave.answer = (one) => Object.assign(one, { status: "working" });
  await fixture.answer(first.id, approve);
  await until("it is settled", async () => (await request(first.id)).state === "settled");
  await admin.query("COMMIT");
  // The last message is stored last.
  remote.ask(there, "Next?");
  const next = await openRequest(id, "Next?");
  expect((await requestsOf(id)).map((row) => row.id)).toEqual([first.id, next.id]);
  // After the answer, the same words are a new question.
  remote.ask(there, "Same?");
  await openRequest(id, "Same?");
  expect(await requestsOf(id)).toHaveLength(3);
});

test("a task that waits by the server's notification, and works by each of its polls: its question stays open, and is answered", async () => {
  const { id, there } = await running();
  await listening(there);
  const { polls } = countPolls();
  // FastMCP 3: the word that the task waits, then the question; tasks/get goes on to say "working".
  const status = { taskId: there.taskId, status: "input_required", statusMessage: "Approve?" };
  remote.notify(there, "notifications/tasks/status", status);
  remote.ask(there, "Approve?");
  const { id: requestId } = await openRequest(id, "Approve?");
  remote.notify(there, "notifications/tasks/status", status);
  await polls(3);
  expect((await request(requestId)).state).toBe("open");
  remote.behave.answer = (one) => Object.assign(one, { status: "completed" });
  await fixture.answer(requestId, approve);
  await inState(id, "completed");
  expect(remote.answered).toHaveLength(1);
  expect((await deliveryOf(requestId)).state).toBe("confirmed");
});

test("the same, while the answer is held: it is sent after its hold, and not called taken back", async () => {
  const { id, there } = await running();
  await listening(there);
  const { polls } = countPolls();
  remote.ask(there, "Approve?");
  const { id: requestId } = await openRequest(id, "Approve?");
  await fixture.answer(requestId, { ...approve, holdMs: 60_000 });
  const status = { taskId: there.taskId, status: "input_required", statusMessage: "Approve?" };
  remote.notify(there, "notifications/tasks/status", status);
  await polls(3);
  expect((await deliveryOf(requestId)).state).toBe("held");
});

test("an answer whose question the server has forgotten: that it waits is written at once, and shown at the task from then on", async () => {
  remote.behave.acrossSessions = true;
  const { id, there } = await running();
  there.status = "input_required";
  await received(there, "Really?");
  const { id: requestId } = await openRequest(id, "Really?");
  await inState(id, "input_required");
  remote.forgetSessions();
  await fixture.answer(requestId, approve);
  const { organizationId, operator } = fixture;
  // By the engine's own pauses, not shorter ones.
  await until("it is in the history", () =>
    fixture.within((tx) =>
      tx.event.findFirst({ where: { organizationId, inputRequestId: requestId, type: "delivery.waiting" } }),
    ),
  );
  // What waits for half a minute is shown.
  await fixture.within(
    (tx) => tx.$executeRaw`UPDATE delivery SET deliver_after = now() - interval '31 seconds'
      WHERE organization_id = ${organizationId}::uuid AND input_request_id = ${requestId}::uuid`,
  );
  const { attention } = await fixture.within((tx) => readTask(tx, operator, id));
  expect(attention).toMatchObject({ code: "answer_waiting" });
  expect(await deliveryOf(requestId)).toMatchObject({ state: "pending", attempts: 0 });
  expect(remote.answered).toEqual([]);
});

test("a server that restarts its JSON-RPC ids in a session: its next question opens", async () => {
  const { id, there } = await running();
  remote.behave.nextId = 0;
  await received(there, "First?");
  const first = await openRequest(id, "First?");
  remote.behave.answer = (one) => {
    remote.behave.answer = (again) => Object.assign(again, { status: "completed" });
    remote.ask(one, "Second, under the same id?");
  };
  await fixture.answer(first.id, approve);
  await fixture.answer((await openRequest(id, "Second, under the same id?")).id, approve);
  await inState(id, "completed");
  expect(answeredTo()).toEqual([0, 0]);
});

test("an answer never reaches another question that has taken over the id of its own", async () => {
  const { id, there } = await running();
  remote.behave.nextId = 7;
  await received(there, "Pay the first?");
  const first = await openRequest(id, "Pay the first?");
  remote.behave.nextId = 7;
  await received(there, "Pay the second?");
  const second = await openRequest(id, "Pay the second?");
  // The first question lost its JSON-RPC id, so its answer waits until the server asks again.
  await fixture.answer(first.id, { action: "decline" });
  await fixture.answer(second.id, approve);
  await until("the second was answered", async () => remote.answered.length > 0);
  await until("what the first one waits for is known", async () => {
    const { state, attempts } = await deliveryOf(first.id);
    return state === "pending" && attempts === 0;
  });
  expect(remote.answered).toMatchObject([{ id: 7, result: { action: "accept" } }]);
});
