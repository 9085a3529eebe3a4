/** 2025-11-25: windows between an answer and what comes on the streams, or a poll that is under way. */
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { until } from "../../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { type SessionServer, startSessionServer } from "../../../../test/servers/session-server.ts";
import { FAIL_ONCE, judged, loseReplyWhen, SLEEP, sleep, trigger } from "../../../../test/setup/windows.ts";
import { keyPlace } from "../../../base/content/content-keys.ts";
import { uuidv7 } from "../../../base/ids.ts";
import type { Engine } from "../../engine.ts";

vi.mock("../../tunables.ts", async (original) => ({
  ...(await original<typeof import("../../tunables.ts")>()),
  QUESTION_RETRY_MS: 100,
  QUESTION_RETRY_CAP_MS: 200,
  QUESTION_WAIT_MS: 100,
  SESSION_WAIT_MS: 200,
}));

const fixture = organizationForFile(["127.0.0.1"]);
let remote: SessionServer;
let server: { serverId: string; connectionId: string };
let engine: Engine;
const { request, requestsOf, deliveryOf, openRequest, inState, asksOf } = createQueries(() => fixture);

beforeAll(async () => {
  engine = await fixture.startEngine();
});
beforeEach(async () => {
  remote = await startSessionServer();
  server = await fixture.addServer(remote.url, "2025-11-25");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await remote.close();
});

const approve = { action: "accept" as const, content: { approve: true } };
const start = () => fixture.startTask(server, {}, tool("work", { taskSupport: "required" }));
async function running() {
  const id = await start();
  await inState(id, "working");
  return { id, there: remote.tasks[0]! };
}
const received = (one: SessionServer["tasks"][number], message: string) =>
  until("somebody listens", async () => {
    const rpcId = remote.ask(one, message);
    return rpcId !== null && { rpcId };
  });
/** From now on polls wait; `release` has the first one say "working", as the task was when it was made. */
function heldPolls(there: SessionServer["tasks"][number]) {
  let polls = 0;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  remote.behave.get = async (one) => {
    polls++;
    if (one !== there) return;
    await gate;
    remote.behave.get = undefined;
    const now = there.status;
    there.status = "working";
    setImmediate(() => {
      there.status = now;
    });
  };
  return { underWay: () => until("a poll is under way", async () => polls > 0), release: open };
}

test("the same question comes again while a poll is under way that says the task works: the answer follows", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  await received(there, "Approve?");
  const asked = await openRequest(id, "Approve?");
  await inState(id, "input_required");
  let held: ReturnType<typeof heldPolls> | undefined;
  remote.behave.answer = () => {
    held ??= heldPolls(there);
  };
  await fixture.answer(asked.id, approve);
  await until("it is told", async () => held);
  await held!.underWay();
  // The server looked at the answer, and asks again. The poll was made before.
  const again = remote.ask(there, "Approve?");
  await until("it is stored", async () => (await asksOf(asked.id)) === 2);
  held!.release();
  await until("the answer follows, or a person is asked again", async () => {
    const isOpen = (await requestsOf(id)).some(({ state }) => state === "open");
    return isOpen || remote.answered.some((one) => one.id === again);
  });
});

test("a question is taken back and another one is put while a poll is under way that says the task works: the other stays open", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  const { rpcId } = await received(there, "First?");
  const first = await openRequest(id, "First?");
  await inState(id, "input_required");
  const held = heldPolls(there);
  await held.underWay();
  remote.notify(there, "notifications/cancelled", { requestId: rpcId });
  await until("it is withdrawn", async () => (await request(first.id)).state === "withdrawn");
  expect(remote.ask(there, "Second?")).not.toBeNull();
  const second = await openRequest(id, "Second?");
  held.release();
  await sleep(4_000);
  expect((await request(second.id)).state).toBe("open");
});

test("the id of a question is taken over by another one while its answer is being committed as sent: it does not get that answer", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  remote.behave.nextId = 7;
  await received(there, "Delete it?");
  const first = await openRequest(id, "Delete it?");
  await inState(id, "input_required");
  const sending = await trigger(fixture, {
    timing: "AFTER",
    on: "UPDATE OF state ON delivery",
    when: "NEW.state = 'sending' AND OLD.state <> 'sending'",
    body: SLEEP(),
  });
  await fixture.answer(first.id, approve);
  await sending.called();
  remote.behave.nextId = 7;
  expect(remote.ask(there, "Keep it?")).toBe(7);
  await openRequest(id, "Keep it?");
  await sleep(3_000);
  expect(remote.answered).toEqual([]);
});

test("the same with a question of another task of the session, whose storing is slow", async () => {
  remote.behave.maxSessions = 1;
  remote.behave.namesTask = true;
  const ids = [await start(), await start()];
  await Promise.all(ids.map((id) => inState(id, "working")));
  const [a, b] = [remote.tasks[0]!, remote.tasks[1]!];
  expect(a.session).toBe(b.session);
  a.status = b.status = "input_required";
  remote.behave.nextId = 7;
  await received(a, "Delete it?");
  const first = await until("it is open", async () => {
    for (const id of ids)
      for (const row of await requestsOf(id)) if (row.message === "Delete it?") return row;
    return null;
  });
  await inState(first.taskId, "input_required");
  const other = ids.find((id) => id !== first.taskId)!;
  await inState(other, "input_required");
  const storing = await trigger(fixture, {
    timing: "AFTER",
    on: "INSERT ON ask",
    when: `NEW.task_id = '${other}'`,
    body: SLEEP(),
  });
  remote.behave.nextId = 7;
  expect(remote.ask(b, "Keep it?")).toBe(7);
  await storing.called();
  await fixture.answer(first.id, approve);
  await openRequest(other, "Keep it?");
  await sleep(3_000);
  expect(remote.answered).toEqual([]);
});

test("the same question comes once more, under its id, while its answer is being committed as sent: the answer is sent once", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  remote.behave.nextId = 7;
  await received(there, "Same?");
  const { id: requestId } = await openRequest(id, "Same?");
  await inState(id, "input_required");
  const sending = await trigger(fixture, {
    timing: "AFTER",
    on: "UPDATE OF state ON delivery",
    when: "NEW.state = 'sending' AND OLD.state <> 'sending'",
    body: SLEEP(),
  });
  await fixture.answer(requestId, approve);
  await sending.called();
  // As on another stream of the session. Nothing of the answer is sent yet.
  expect(remote.answered).toEqual([]);
  expect(remote.ask(there, "Same?")).toBe(7);
  await until("it is told", async () => remote.answered.length > 0);
  await sleep(5_000);
  expect(remote.answered.map((one) => one.id)).toEqual([7]);
});

test("another question comes while an answer is being committed as sent: it proves nothing about that answer", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  await received(there, "Amount right?");
  const amount = await openRequest(id, "Amount right?");
  await inState(id, "input_required");
  const sending = await trigger(fixture, {
    timing: "AFTER",
    on: "UPDATE OF state ON delivery",
    when: "NEW.state = 'sending' AND OLD.state <> 'sending'",
    body: SLEEP(),
  });
  await fixture.answer(amount.id, approve);
  await sending.called();
  expect(remote.answered).toEqual([]);
  expect(remote.ask(there, "Cost centre right?")).not.toBeNull();
  await until("it is told", async () => remote.answered.length > 0);
  await openRequest(id, "Cost centre right?");
  await until("it is accepted", async () => (await deliveryOf(amount.id)).acceptedAt);
  expect((await deliveryOf(amount.id)).state).toBe("accepted");
});

test("an answer is refused unread, storing that fails once, and the task goes on by itself: nobody says that it was taken", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  await received(there, "Really?");
  const { id: requestId } = await openRequest(id, "Really?");
  await inState(id, "input_required");
  const write = await trigger(fixture, {
    on: "UPDATE OF state ON delivery",
    when: "OLD.state = 'sending' AND NEW.state = 'pending'",
    body: FAIL_ONCE,
  });
  remote.behave.refusesAnswer = () => {
    there.status = "working";
    return 429;
  };
  await fixture.answer(requestId, approve);
  await write.called();
  const over = await until("it is over", async () => {
    const row = await request(requestId);
    return row.endedAt && row;
  });
  expect(over.state).toBe("withdrawn");
});

test("control: the same without the failure", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  await received(there, "Really?");
  const { id: requestId } = await openRequest(id, "Really?");
  await inState(id, "input_required");
  remote.behave.refusesAnswer = () => {
    there.status = "working";
    return 429;
  };
  await fixture.answer(requestId, approve);
  const over = await until("it is over", async () => {
    const row = await request(requestId);
    return row.endedAt && row;
  });
  expect(over.state).toBe("withdrawn");
});

test("a session is renewed, storing that fails once, and the engine is restarted later: what was asked in it is answered in it", async () => {
  remote.behave.acrossSessions = true;
  const { id, there } = await running();
  const old = there.session;
  await sleep(1_000);
  const write = await trigger(fixture, {
    on: "UPDATE OF sealed_session ON task",
    when: `NEW.id = '${id}'`,
    body: FAIL_ONCE,
  });
  remote.forgetSessions();
  await write.called();
  await until("the task has moved", async () => there.session !== old);
  there.status = "input_required";
  const { rpcId } = await received(there, "In the new session?");
  const fresh = there.session;
  const { id: requestId } = await openRequest(id, "In the new session?");
  await inState(id, "input_required");
  await engine.stop();
  engine = await fixture.startEngine();
  await fixture.answer(requestId, approve);
  await until("it is told, or given up", async () => {
    const row = await request(requestId);
    return (remote.answered.length > 0 || row.endedAt) && row;
  });
  expect(remote.answered).toMatchObject([{ session: fresh, id: rpcId }]);
});

test("the commit of a captured question is stored and its reply is lost: it is asked once", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  const reply = loseReplyWhen(async (taskId) => taskId === id && (await requestsOf(id)).length > 0);
  const { rpcId } = await received(there, "Once?");
  const { id: requestId } = await openRequest(id, "Once?");
  await until("the reply was lost", async () => reply.times === 1);
  await sleep(1_500);
  await fixture.answer(requestId, approve);
  await until("it is told", async () => remote.answered.length > 0);
  await sleep(1_000);
  expect(await requestsOf(id)).toHaveLength(1);
  expect(await asksOf(requestId)).toBe(1);
  expect(remote.answered.map((one) => one.id)).toEqual([rpcId]);
});

test("the commit of an accepted answer is stored and its reply is lost, and the same question comes again: two answers to two asks", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  const { rpcId } = await received(there, "Again?");
  const { id: requestId } = await openRequest(id, "Again?");
  await inState(id, "input_required");
  let again: number | null = null;
  const reply = loseReplyWhen(
    async (taskId) => taskId === id && Boolean((await deliveryOf(requestId).catch(() => null))?.acceptedAt),
  );
  remote.behave.beforeAccepted = async () => {
    if (again !== null) return;
    again = remote.ask(there, "Again?");
    await until("it is stored", async () => (await asksOf(requestId)) === 2);
  };
  await fixture.answer(requestId, approve);
  await until("both are told", async () => remote.answered.length === 2);
  await until("the reply was lost", async () => reply.times === 1);
  await sleep(3_000);
  expect(remote.answered.map((one) => one.id)).toEqual([rpcId, again]);
  await judged(fixture, server.connectionId);
});

test("a question is taken back before it could be stored as the task's, under an id that was used before: nobody is asked", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  remote.behave.nextId = 7;
  await received(there, "First?");
  const first = await openRequest(id, "First?");
  await inState(id, "input_required");
  await fixture.answer(first.id, approve);
  await until("it is told", async () => (await deliveryOf(first.id)).state === "accepted");
  const storing = await trigger(fixture, {
    on: "INSERT ON input_request",
    when: "true",
    body: FAIL_ONCE.replace("57014", "P0001"),
  });
  remote.behave.nextId = 7;
  expect(remote.ask(there, "Second?")).toBe(7);
  remote.notify(there, "notifications/cancelled", { requestId: 7 });
  await storing.called();
  await sleep(4_000);
  expect((await requestsOf(id)).filter(({ state }) => state === "open")).toEqual([]);
});

test("a question is taken back while its answer is being committed as sent, and the task works: it ends, whatever the reply", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  const { rpcId } = await received(there, "Quick?");
  const { id: requestId } = await openRequest(id, "Quick?");
  await inState(id, "input_required");
  const sending = await trigger(fixture, {
    timing: "AFTER",
    on: "UPDATE OF state ON delivery",
    when: "NEW.state = 'sending' AND OLD.state <> 'sending'",
    body: SLEEP(),
  });
  await fixture.answer(requestId, approve);
  await sending.called();
  remote.notify(there, "notifications/cancelled", { requestId: rpcId });
  await sleep(3_000);
});

test("the organization's new key can't be opened for a moment: what a server asks meanwhile is not lost", async () => {
  const { id, there } = await running();
  there.status = "input_required";
  await until("it listens", async () =>
    remote.seen.some(({ method, session }) => method === "GET" && session === there.session),
  );
  const kid = uuidv7();
  const { organizationId } = fixture;
  const sealed = fixture.seal.seal(keyPlace(organizationId, kid), Buffer.alloc(32, 7).toString("base64"));
  await fixture.sql(
    "INSERT INTO organization_key (organization_id, kid, sealed_key) VALUES ($1, $2, 'broken')",
    [organizationId, kid],
  );
  expect(remote.ask(there, "While the key is away?")).not.toBeNull();
  await sleep(3_000);
  await fixture.sql("UPDATE organization_key SET sealed_key = $2 WHERE kid = $1", [kid, sealed]);
  await sleep(20_000);
  expect(remote.ask(there, "Afterwards?")).not.toBeNull();
  await openRequest(id, "Afterwards?");
  expect((await requestsOf(id)).map(({ message }) => message)).toEqual([
    "While the key is away?",
    "Afterwards?",
  ]);
});
