/** 2025-11-25, sessions that tasks share: windows in which a question could be given to another task of its session. */
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { until } from "../../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { type SessionServer, startSessionServer } from "../../../../test/servers/session-server.ts";
import { FAIL, FAIL_ONCE, judged, loseReplyWhen, sleep, trigger } from "../../../../test/setup/windows.ts";
import { requestCancel } from "../../../lifecycle/task-writes.ts";
import { pauseServer } from "../../../servers/pause.ts";
import type { Engine } from "../../engine.ts";

vi.mock("../../tunables.ts", async (original) => ({
  ...(await original<typeof import("../../tunables.ts")>()),
  QUESTION_RETRY_MS: 100,
  QUESTION_RETRY_CAP_MS: 200,
  QUESTION_WAIT_MS: 100,
  SESSION_WAIT_MS: 200,
  ATTEMPT_DEADLINE_MS: 2_000,
}));

const fixture = organizationForFile(["127.0.0.1"]);
let remote: SessionServer;
let server: { serverId: string; connectionId: string };
let engine: Engine;
const queries = createQueries(() => fixture);

beforeAll(async () => {
  engine = await fixture.startEngine();
});
beforeEach(async () => {
  remote = await startSessionServer();
  remote.behave.maxSessions = 1;
  server = await fixture.addServer(remote.url, "2025-11-25");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await remote.close();
});

const WORK = tool("work", { taskSupport: "required" });
const PLAIN = tool("work", { taskSupport: "forbidden" });
const start = (args = {}, which = WORK) => fixture.startTask(server, args, which);
const there = (at: number) => until("the server has the task", async () => remote.tasks[at]);
const restart = async () => {
  await engine.stop();
  engine = await fixture.startEngine();
};
async function idOf(handle: string, ids: string[]): Promise<string> {
  const digest = fixture.seal.digest("handle", `${fixture.organizationId} ${handle}`);
  for (const id of ids)
    if (digest.equals((await queries.task(id)).handleDigest ?? Buffer.alloc(0))) return id;
  throw new Error("no task of ours has this handle");
}
/** Two tasks that work in one session: ours and theirs, in pairs. */
async function two() {
  const ids = [await start(), await start()];
  await Promise.all(ids.map((id) => queries.inState(id, "working")));
  const [a, b] = [await there(0), await there(1)];
  expect(a.session).toBe(b.session);
  return { a, b, mine: await idOf(a.taskId, ids), other: await idOf(b.taskId, ids) };
}
/** The question was judged, and is at none of these tasks. */
async function isNotOf(message: string, ...ids: string[]) {
  await judged(fixture, server.connectionId);
  await sleep(300);
  for (const id of ids)
    expect((await queries.requestsOf(id)).filter((row) => row.message === message)).toEqual([]);
}
const failing = () =>
  until("the server is left alone", async () => {
    const row = await fixture.within((tx) =>
      tx.connection.findFirstOrThrow({
        where: { organizationId: fixture.organizationId, id: server.connectionId },
      }),
    );
    return row.circuitFailures > 0;
  });

test("the reply to a call is lost, and its next step waits for the circuit: its question is not shown at another task", async () => {
  const mine = await start();
  await queries.inState(mine, "working");
  remote.behave.call = async () => {
    remote.behave.busy = true;
    await failing();
    return "drop" as const;
  };
  const lost = await start();
  const asking = await there(1);
  expect(asking.session).toBe((await there(0)).session);
  await sleep(500);
  expect((await queries.task(lost)).state).toBe("starting");
  expect(remote.ask(asking, "The lost one's?")).not.toBeNull();
  await isNotOf("The lost one's?", mine);
});

test("the engine ends before the others of the session have stored who was left behind: its question is not shown at them", async () => {
  remote.behave.call = (task) => {
    task.pollInterval = 60_000;
    return undefined;
  };
  const mine = await start();
  await queries.inState(mine, "working");
  await sleep(1_000);
  remote.behave.call = () => "drop";
  const lost = await start();
  await queries.inState(lost, "start_unknown");
  await restart();
  const [carrier, asking] = [await there(0), await there(1)];
  expect(asking.session).toBe(carrier.session);
  await until("it listens", async () => remote.ask(asking, "The lost one's?") !== null);
  await isNotOf("The lost one's?", mine);
});

test("the write of who was left behind fails once, and the engine is restarted later: its question is not shown at another task", async () => {
  const mine = await start();
  await queries.inState(mine, "working");
  await sleep(1_000);
  const write = await trigger(fixture, {
    on: "UPDATE OF sealed_session ON task",
    when: `NEW.id = '${mine}'`,
    body: FAIL_ONCE,
  });
  remote.behave.call = () => "drop";
  const lost = await start();
  await queries.inState(lost, "start_unknown");
  await write.called();
  await sleep(4_000);
  await restart();
  const asking = await there(1);
  await until("it listens", async () => remote.ask(asking, "The lost one's?") !== null);
  await isNotOf("The lost one's?", mine);
});

test("a plain call is lost and may run on: what it asks on the session's stream is not shown at another task", async () => {
  const mine = await start();
  await queries.inState(mine, "working");
  const lost = await start({}, PLAIN);
  const call = await until("the call is open", async () => remote.calls[0]);
  const carrier = await there(0);
  expect(call.session).toBe(carrier.session);
  await queries.inState(lost, "working");
  call.cut();
  await queries.inState(lost, "lost");
  await sleep(500);
  expect(remote.ask(carrier, "The lost call's?")).not.toBeNull();
  await isNotOf("The lost call's?", mine);
});

test("a plain call is cancelled here, and its server runs on: what it asks on the session's stream is not shown at another task", async () => {
  const mine = await start();
  await queries.inState(mine, "working");
  const cancelled = await start({}, PLAIN);
  const call = await until("the call is open", async () => remote.calls[0]);
  const carrier = await there(0);
  expect(call.session).toBe(carrier.session);
  await queries.inState(cancelled, "working");
  await fixture.within((tx) => requestCancel(tx, fixture.operator, cancelled));
  await queries.inState(cancelled, "cancelled");
  await sleep(500);
  expect(remote.ask(carrier, "The cancelled call's?")).not.toBeNull();
  await isNotOf("The cancelled call's?", mine);
});

test("a task of which the server once said that it is unknown, and which runs on, asks: it is not shown at another task", async () => {
  const { a, b, mine, other } = await two();
  // As a server that loses sight of a task for some seconds: a replica that lags.
  const known = a.taskId;
  a.taskId = "elsewhere";
  await queries.inState(mine, "lost");
  a.taskId = known;
  expect(remote.ask(a, "The lost one's?")).not.toBeNull();
  expect(b.session).toBe(a.session);
  await isNotOf("The lost one's?", other);
});

test("a task is cancelled by the server's word too, and its tool runs on: what it asks is not shown at another task", async () => {
  const { a, b, mine, other } = await two();
  await fixture.within((tx) => requestCancel(tx, fixture.operator, mine));
  await queries.inState(mine, "cancelled");
  expect(a.status).toBe("cancelled");
  await sleep(500);
  // As with the official package 1.x, where a cancel does not stop the tool's own code.
  expect(remote.ask(a, "The cancelled one's?")).not.toBeNull();
  expect(b.session).toBe(a.session);
  await isNotOf("The cancelled one's?", other);
});

test("a poll whose news could not be stored proves nothing, though a step without a poll follows (pause)", async () => {
  const { a, b, mine, other } = await two();
  const news = await trigger(fixture, {
    on: "UPDATE OF state ON task",
    when: `NEW.state = 'input_required' AND NEW.id = '${mine}'`,
    body: FAIL,
  });
  expect(remote.ask(a, "Mine?")).not.toBeNull();
  a.status = b.status = "input_required";
  await news.called();
  await queries.inState(other, "input_required");
  await fixture.within((tx) => pauseServer(tx, fixture.operator, server.serverId, null));
  await sleep(3_000);
  await isNotOf("Mine?", other);
});

test("the same, and the circuit opens", async () => {
  const { a, b, mine, other } = await two();
  const news = await trigger(fixture, {
    on: "UPDATE OF state ON task",
    when: `NEW.state = 'input_required' AND NEW.id = '${mine}'`,
    body: FAIL,
  });
  expect(remote.ask(a, "Mine?")).not.toBeNull();
  a.status = b.status = "input_required";
  await news.called();
  await queries.inState(other, "input_required");
  // The next poll, of whichever task, is refused for an hour.
  remote.behave.busy = true;
  await failing();
  await sleep(3_000);
  await isNotOf("Mine?", other);
});

test("a shared session is renewed: what the task asks that has not moved yet is not shown at the one that has", async () => {
  remote.behave.acrossSessions = true;
  const { a, b, mine } = await two();
  const old = a.session;
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let held = 0;
  remote.behave.get = (task) => {
    if (task.taskId !== b.taskId) return undefined;
    held++;
    return gate;
  };
  await until("the other's poll is under way", async () => held > 0);
  remote.forgetSessions();
  const fresh = await until("there is another session with a stream", async () =>
    remote.seen.find(({ method, session }) => method === "GET" && session !== "" && session !== old),
  );
  await until(
    "its stream is open",
    async () => remote.ask({ ...b, session: fresh.session }, "The other's?") !== null,
  );
  await isNotOf("The other's?", mine);
  goOn();
});

test("the commit that gives up a start is stored, and its reply is lost: its question is not shown at another task", async () => {
  const mine = await start();
  await queries.inState(mine, "working");
  let lost = "";
  const reply = loseReplyWhen(
    async (taskId) => taskId === lost && (await queries.task(lost)).state === "start_unknown",
  );
  remote.behave.call = () => "drop";
  lost = await start();
  await queries.inState(lost, "start_unknown");
  await until("the reply was lost", async () => reply.times === 1);
  await sleep(3_000);
  const asking = await there(1);
  expect(remote.ask(asking, "The lost one's?")).not.toBeNull();
  await isNotOf("The lost one's?", mine);
});

test("a question that was stored and not judged before the engine ended: it is not of the one that is left", async () => {
  const { a, mine, other } = await two();
  const note = await trigger(fixture, {
    on: "UPDATE OF candidates ON stream_message",
    when: "NEW.candidates <> '{}'",
    body: FAIL,
  });
  expect(remote.ask(a, "Mine?")).not.toBeNull();
  await note.called();
  a.status = "failed";
  await queries.inState(mine, "failed");
  await engine.stop();
  await note.drop();
  engine = await fixture.startEngine();
  await isNotOf("Mine?", other);
});
