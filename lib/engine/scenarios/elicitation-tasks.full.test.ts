/** 2025-11-25: questions that a server puts as tasks, which Intray keeps: the server fetches each answer once. */
import { randomUUID } from "node:crypto";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { type OfficialServer, startOfficialServer } from "../../../test/servers/official/official-server.ts";
import { startTaskRequestor, type TaskRequestor } from "../../../test/servers/tasks/task-requestor.ts";
import { createNetwork } from "../../base/network/network.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import { undoAnswer } from "../../requests/answers/answer-writes.ts";
import { pauseServer, resumeServer } from "../../servers/pause.ts";
import { probe } from "../../servers/probe.ts";
import { type Traits, traitsSchema } from "../../servers/traits.ts";
import type { Engine } from "../engine.ts";

// Fifty and two hundred, here for a list of a few; and ten seconds, here a moment.
vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  LISTED_TOGETHER: 2,
  RETELL_MS: 500,
  UNATTENDED_TOGETHER: 2,
}));

const fixture = organizationForFile(["127.0.0.1"]);
let remote: TaskRequestor;
let server: { serverId: string; connectionId: string };

let engine: Engine;

beforeAll(async () => {
  engine = await fixture.startEngine();
});
beforeEach(async () => {
  remote = await startTaskRequestor();
  server = await addServer(remote.url);
});
afterEach(() => remote.close());

const approve = { action: "accept" as const, content: { approve: true } };
const ask = tool("ask", { taskSupport: "required" });
const { task, deliveryOf, openRequest, inState, request, requestsOf } = createQueries(() => fixture);

interface Asked {
  by?: "result" | "get" | "never";
  ttl?: number;
  times?: number;
  queued?: boolean;
}
const start = (message: string, { by = "never", ...more }: Asked = {}) =>
  fixture.startTask(server, { message, by, ...more }, ask);

/** A server that is known to open streams. */
async function addServer(url: string) {
  const added = await fixture.addServer(url, "2025-11-25");
  const data = { traits: { opensStream: true } };
  await fixture.within((tx) => tx.server.updateMany({ where: { id: added.serverId }, data }));
  return added;
}
async function traits() {
  const row = await fixture.within((tx) =>
    tx.server.findFirstOrThrow({
      where: { organizationId: fixture.organizationId, id: server.serverId },
    }),
  );
  return traitsSchema.parse(row.traits);
}
/** A question that is open here, and the id that the server has for it. */
async function asked(message: string, how: Asked = {}) {
  const id = await start(message, how);
  const { id: requestId } = await openRequest(id, message);
  const { taskId } = await until("the server has the task's id", async () =>
    remote.tasks.find((one) => one.message === message),
  );
  return { id, requestId, taskId };
}
const get = (taskId: string) => remote.request("tasks/get", { taskId });
const errorOf = (made: Promise<unknown>) =>
  made.then(
    () => {
      throw new Error("it was answered");
    },
    (error: { code: number; message: string }) => ({ code: error.code, message: error.message }),
  );
async function waitingFor(taskId: string): Promise<number> {
  const row = await fixture.within((tx) => tx.elicitationTask.findFirstOrThrow({ where: { id: taskId } }));
  return (row.waiting as unknown[]).length;
}
const isWaitedFor = (taskId: string, by = 1) =>
  until("its result is waited for", async () => (await waitingFor(taskId)) === by);
const answersOf = (message: string) =>
  remote.tasks.filter((one) => one.message === message).map(({ answers }) => answers);

describe("an answer", () => {
  test.each(["result", "get"] as const)(
    "is fetched by tasks/%s, and the server goes on with it",
    async (by) => {
      const { id, requestId } = await asked("Pay?", { by });
      await fixture.answer(requestId, approve);
      await inState(id, "completed");
      expect(remote.tasks[0]?.answers).toMatchObject([approve]);
      expect(await deliveryOf(requestId)).toMatchObject({ state: "confirmed", rung: "fetched", attempts: 1 });
      expect((await request(requestId)).state).toBe("settled");
      expect(JSON.stringify((await task(id)).result)).toContain("approve");
      await until("it was told", async () => remote.told.length > 0);
      expect(remote.told).toEqual([{ taskId: remote.tasks[0]?.taskId, status: "completed" }]);
    },
  );

  test("is told as it was given, and names its task: the same at every look", async () => {
    const { requestId, taskId } = await asked("Pay?");
    await fixture.answer(requestId, { action: "decline" });
    const told = { action: "decline", _meta: { "io.modelcontextprotocol/related-task": { taskId } } };
    expect(await remote.request("tasks/result", { taskId })).toEqual(told);
    expect(await remote.request("tasks/result", { taskId })).toEqual(told);
    expect(await deliveryOf(requestId)).toMatchObject({ state: "accepted", attempts: 1 });
  });

  test("is not called delivered before the server has fetched it, and not sent where it never does", async () => {
    const { id, requestId, taskId } = await asked("Pay?");
    // Another session stays when this task's ends.
    await asked("Another?");
    await fixture.answer(requestId, approve);
    await until("it may be fetched", async () => (await get(taskId)).status === "completed");
    expect(await deliveryOf(requestId)).toMatchObject({ state: "pending", attempts: 0 });
    expect((await deliveryOf(requestId)).waitingSince).not.toBeNull();
    expect((await request(requestId)).state).toBe("answered");
    await cancel(id);
    await inState(id, "cancelled");
    expect(await request(requestId)).toMatchObject({ state: "withdrawn" });
    expect(await deliveryOf(requestId)).toMatchObject({ state: "failed", attempts: 0 });
    // People read that it was not sent, so nobody gets it from then on.
    expect(await errorOf(remote.request("tasks/result", { taskId }))).toMatchObject({ code: -32602 });
  });

  test("is not sent to the request that made the task, by whatever engine: the database refuses", async () => {
    const { requestId, taskId } = await asked("Pay?");
    await fixture.answer(requestId, approve);
    await until("it may be fetched", async () => (await get(taskId)).status === "completed");
    await withClient(fixture.adminUrl, async (client) => {
      // As an engine of the version before does.
      const sent = client.query(
        `UPDATE delivery SET state = 'sending', rung = 'same_session', attempts = 1, sent_at = now(),
          ask_id = (SELECT id FROM ask WHERE input_request_id = $1) WHERE input_request_id = $1`,
        [requestId],
      );
      await expect(sent).rejects.toThrow("the server fetches this answer");
    });
    expect(await remote.request("tasks/result", { taskId })).toMatchObject(approve);
  });

  test("that may be taken back is no answer yet", async () => {
    const { id, requestId, taskId } = await asked("Pay?", { by: "get" });
    await fixture.answer(requestId, { ...approve, holdMs: 600_000 });
    expect(await get(taskId)).toMatchObject({ status: "working" });
    await fixture.within((tx) => undoAnswer(tx, fixture.approver, requestId));
    await fixture.answer(requestId, { action: "accept", content: { approve: false } });
    await inState(id, "completed");
    expect(answersOf("Pay?")).toMatchObject([[{ action: "accept", content: { approve: false } }]]);
  });

  test("to a question that was put twice at once reaches both of its tasks, and a person is asked once", async () => {
    const { id, requestId } = await asked("Pay?", { by: "get", times: 2 });
    await until("both are known", async () => remote.tasks.length === 2);
    await until("both are linked", async () => {
      const rows = await fixture.within((tx) => tx.elicitationTask.findMany({ where: { taskId: id } }));
      return rows.length === 2;
    });
    await fixture.answer(requestId, approve);
    await inState(id, "completed");
    expect(answersOf("Pay?")).toMatchObject([[approve], [approve]]);
    expect(await requestsOf(id)).toHaveLength(1);
    expect(await deliveryOf(requestId)).toMatchObject({ state: "confirmed" });
  });

  test("that two requests wait for is given to both, and counts once", async () => {
    const { id, requestId, taskId } = await asked("Pay?");
    const both = [remote.request("tasks/result", { taskId }), remote.request("tasks/result", { taskId })];
    await isWaitedFor(taskId, 2);
    await fixture.answer(requestId, approve);
    const [one, other] = await Promise.all(both);
    expect(one).toMatchObject(approve);
    expect(other).toEqual(one);
    expect(await deliveryOf(requestId)).toMatchObject({ state: "accepted", attempts: 1 });
    const lines = await fixture.within((tx) =>
      tx.event.findMany({ where: { taskId: id, type: "delivery.accepted" } }),
    );
    expect(lines).toHaveLength(1);
  });

  test("of a person, and a cancel of the server's, at once: one of them counts, on both sides", async () => {
    const all = await Promise.all(["A?", "B?", "C?", "D?", "E?", "F?"].map((message) => asked(message)));
    await Promise.all(
      all.map(async ({ requestId, taskId }) => {
        const [answered, cancelled] = await Promise.allSettled([
          fixture.answer(requestId, approve),
          remote.request("tasks/cancel", { taskId }),
        ]);
        const row = await request(requestId);
        if (cancelled.status === "fulfilled") {
          expect(row.state).toBe("withdrawn");
          expect(await get(taskId)).toMatchObject({ status: "cancelled" });
          expect(await errorOf(remote.request("tasks/result", { taskId }))).toMatchObject({ code: -32603 });
          if (answered.status === "fulfilled") expect((await deliveryOf(requestId)).attempts).toBe(0);
        } else {
          expect(cancelled.reason).toMatchObject({ code: -32602 });
          expect(await remote.request("tasks/result", { taskId })).toMatchObject(approve);
        }
      }),
    );
  });

  test("never goes to another request that has the id of one that waited for it", async () => {
    const { id, requestId, taskId } = await asked("Pay?");
    remote.useIdsFrom(700);
    void remote.request("tasks/result", { taskId }, { patienceMs: 600_000 }).catch(() => undefined);
    await isWaitedFor(taskId);
    remote.useIdsFrom(700);
    const requestedSchema = { type: "object", properties: { approve: { type: "boolean" } } };
    const other = remote.request("elicitation/create", { message: "Another?", requestedSchema });
    const { id: otherId } = await openRequest(id, "Another?");
    await fixture.answer(requestId, approve);
    await until("the first may be fetched", async () => (await get(taskId)).status === "completed");
    await fixture.answer(otherId, { action: "decline" });
    expect(await other).toEqual({ action: "decline" });
    expect(await deliveryOf(requestId)).toMatchObject({ state: "pending", attempts: 0 });
    expect(await remote.request("tasks/result", { taskId })).toMatchObject(approve);
  });

  test("whose reply to tasks/result was lost is in doubt, and the same is said again", async () => {
    const { id, requestId } = await asked("Pay?", { by: "result" });
    remote.behave.cutsReplies = true;
    await fixture.answer(requestId, approve);
    await until("it is being sent", async () => (await deliveryOf(requestId)).state === "sending");
    expect((await request(requestId)).state).toBe("answered");
    remote.behave.cutsReplies = false;
    await inState(id, "completed");
    expect(answersOf("Pay?")).toMatchObject([[approve]]);
    expect(await deliveryOf(requestId)).toMatchObject({ state: "confirmed", attempts: 1 });
  });

  test("is not handed over while the server is paused", async () => {
    const { id, requestId } = await asked("Pay?", { by: "result" });
    const { operator } = fixture;
    await fixture.within((tx) => pauseServer(tx, operator, server.serverId, "to be seen to"));
    await fixture.answer(requestId, approve);
    const { taskId } = remote.tasks[0]!;
    expect(await get(taskId)).toMatchObject({ status: "working" });
    expect(await deliveryOf(requestId)).toMatchObject({ state: "pending", attempts: 0 });
    await fixture.within((tx) => resumeServer(tx, operator, server.serverId));
    await inState(id, "completed");
    expect(answersOf("Pay?")).toMatchObject([[approve]]);
  });

  test("goes to the session that the server has by then", async () => {
    const { id, requestId } = await asked("Pay?", { by: "get" });
    const before = [...remote.capabilities.keys()];
    await remote.forgetSessions();
    await until("there is another session", async () => remote.capabilities.size > before.length);
    await fixture.answer(requestId, approve);
    await inState(id, "completed");
    expect(answersOf("Pay?")).toMatchObject([[approve]]);
    expect(await requestsOf(id)).toMatchObject([{ state: "settled" }]);
  });

  test("is asked for on the stream of the server's own task, where the server says all there", async () => {
    const { id, requestId } = await asked("Pay?", { by: "get", queued: true });
    expect((await task(id)).state).toBe("input_required");
    await fixture.answer(requestId, approve);
    await inState(id, "completed");
    expect(answersOf("Pay?")).toMatchObject([[approve]]);
  });
});

describe("a task", () => {
  test("is announced once it is stored, and not before", async () => {
    await withClient(fixture.adminUrl, async (client) => {
      await client.query("BEGIN; LOCK TABLE elicitation_task IN ACCESS EXCLUSIVE MODE");
      const id = await start("Pay?");
      await until("it waits to be stored", async () => {
        // Otherwise a transaction sees the sessions as of its first read.
        await client.query("SELECT pg_stat_clear_snapshot()");
        const { rows } = await client.query(`SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%elicitation_task%'`);
        return rows.length > 0;
      });
      expect(remote.tasks).toEqual([]);
      await client.query("COMMIT");
      await openRequest(id, "Pay?");
    });
    await until("the server has it", async () => remote.tasks.length === 1);
    expect(remote.tasks[0]?.created).toMatchObject({ status: "working", ttl: null });
  });

  test("is announced by the next engine, where the reply of the one before was lost, as are all of them", async () => {
    remote.behave.cutsReplies = true;
    const id = await start("Pay?", { by: "result", times: 5 });
    const { id: requestId } = await openRequest(id, "Pay?");
    await engine.stop();
    expect(remote.tasks).toEqual([]);
    remote.behave.cutsReplies = false;
    engine = await fixture.startEngine();
    await until("the server has them", async () => remote.tasks.length === 5);
    const rows = await fixture.within((tx) => tx.elicitationTask.findMany({ where: { taskId: id } }));
    expect(rows.map((row) => row.id).sort()).toEqual(remote.tasks.map(({ taskId }) => taskId).sort());
    await fixture.answer(requestId, approve);
    await inState(id, "completed");
    expect(answersOf("Pay?")).toMatchObject(Array(5).fill([approve]));
  });

  test("that is cancelled by the server withdraws its question, and stays cancelled", async () => {
    const { id, requestId, taskId } = await asked("Pay?");
    await fixture.answer(requestId, { ...approve, holdMs: 600_000 });
    const waiting = errorOf(remote.request("tasks/result", { taskId }));
    await isWaitedFor(taskId);
    expect(await remote.request("tasks/cancel", { taskId })).toMatchObject({ taskId, status: "cancelled" });
    expect(await request(requestId)).toMatchObject({ state: "withdrawn", endedReason: "retracted" });
    expect(await deliveryOf(requestId)).toMatchObject({ state: "failed", attempts: 0 });
    expect(await get(taskId)).toMatchObject({ status: "cancelled" });
    // Never a decline or a cancel of a person's.
    expect(await waiting).toMatchObject({ code: -32603 });
    expect(await errorOf(remote.request("tasks/cancel", { taskId }))).toMatchObject({
      code: -32602,
      message: expect.stringContaining("already in terminal status 'cancelled'"),
    });
    expect((await task(id)).state).toBe("working");
  });

  test("is cancelled with the asking task, and a result that is waited for is an error", async () => {
    const { id, requestId, taskId } = await asked("Pay?");
    const waiting = errorOf(remote.request("tasks/result", { taskId }));
    await isWaitedFor(taskId);
    await cancel(id);
    expect(await waiting).toMatchObject({ code: -32603 });
    expect((await request(requestId)).state).toBe("withdrawn");
  });

  test("that has a ttl ends with it, and its question with it: nothing is sent", async () => {
    const { requestId, taskId } = await asked("Pay?", { ttl: 600_000 });
    const row = await request(requestId);
    expect(row.expiresAt?.getTime()).toBeGreaterThan(row.createdAt.getTime());
    expect(await get(taskId)).toMatchObject({ ttl: 600_000 });
    // Ten minutes pass.
    await withClient(fixture.adminUrl, (client) =>
      client.query(
        "UPDATE elicitation_task SET created_at = created_at - interval '10 minutes' WHERE id = $1",
        [taskId],
      ),
    );
    await until("its time is over", async () => (await request(requestId)).state === "expired");
    expect(await request(requestId)).toMatchObject({ endedReason: "question_ttl" });
    expect(await errorOf(get(taskId))).toMatchObject({ code: -32602 });
    expect(await errorOf(remote.request("tasks/result", { taskId }))).toMatchObject({ code: -32602 });
  });

  test("whose result the server stopped waiting for has nobody who waits", async () => {
    const { requestId, taskId } = await asked("Pay?");
    await errorOf(remote.request("tasks/result", { taskId }, { patienceMs: 500 }));
    await until("nobody waits", async () => (await waitingFor(taskId)) === 0);
    await fixture.answer(requestId, approve);
    await until("it may be fetched", async () => (await get(taskId)).status === "completed");
    expect(await deliveryOf(requestId)).toMatchObject({ state: "pending", attempts: 0 });
  });

  test("has times and a pace, and moves to completed alone", async () => {
    const { id, requestId, taskId } = await asked("Pay?", { by: "get" });
    const before = await get(taskId);
    expect(before).toEqual({
      taskId,
      status: "working",
      statusMessage: expect.any(String),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      lastUpdatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      ttl: null,
      pollInterval: expect.any(Number),
    });
    await fixture.answer(requestId, approve);
    await inState(id, "completed");
    expect(remote.tasks[0]?.statuses).toEqual(["working", "completed"]);
    // It is told as long as the asking task is kept.
    expect(await fixture.within((tx) => tx.elicitationTask.count({ where: { id: taskId } }))).toBe(1);
  });
});

describe("the connection alone", () => {
  test("finds its tasks: to any other an id is unknown, as one that was never given", async () => {
    const { requestId, taskId } = await asked("Pay?");
    const mine = remote;
    const other = await startTaskRequestor();
    try {
      remote = other;
      server = await addServer(other.url);
      const theirs = await asked("Theirs?");
      for (const id of [taskId, randomUUID(), "no id at all"])
        for (const method of ["tasks/get", "tasks/result", "tasks/cancel"])
          expect(await errorOf(other.request(method, { taskId: id }))).toEqual({
            code: -32602,
            message: "MCP error -32602: Task not found",
          });
      const { tasks } = await other.request("tasks/list", {});
      expect((tasks as { taskId: string }[]).map((one) => one.taskId)).toEqual([theirs.taskId]);
      expect(await errorOf(other.request("tasks/list", { cursor: taskId }))).toMatchObject({ code: -32602 });
    } finally {
      remote = mine;
      await other.close();
    }
    expect((await request(requestId)).state).toBe("open");
  });

  test("lists its tasks, some at a time, by a cursor that leads on", async () => {
    const ids: string[] = [];
    for (const message of ["One?", "Two?", "Three?"]) ids.push((await asked(message)).taskId);
    const first = await remote.request("tasks/list", {});
    const second = await remote.request("tasks/list", { cursor: first.nextCursor });
    const listed = [first, second].map(({ tasks }) =>
      (tasks as { taskId: string }[]).map((one) => one.taskId),
    );
    expect(listed).toEqual([ids.slice(0, 2), ids.slice(2)]);
    expect(second).not.toHaveProperty("nextCursor");
    for (const cursor of ["nonsense", randomUUID()])
      expect(await errorOf(remote.request("tasks/list", { cursor }))).toMatchObject({ code: -32602 });
  });
});

describe("that questions may be tasks", () => {
  const forget = () =>
    fixture.within((tx) => tx.server.updateMany({ where: { id: server.serverId }, data: { traits: {} } }));

  const declaredAtCalls = () => remote.called.map((session) => remote.capabilities.get(session)?.tasks);

  test("is declared once a server is known to open streams, and not before", async () => {
    await forget();
    const first = await start("Pay?");
    await inState(first, "failed");
    await until("it is known", async () => (await traits()).opensStream === true);
    await asked("Pay again?");
    expect(declaredAtCalls()).toEqual([
      undefined,
      { list: {}, cancel: {}, requests: { elicitation: { create: {} } } },
    ]);
    await until("it is known", async () => (await traits()).putsTasks === true);
  });

  test("is not declared again to a server that refuses such a session", async () => {
    remote.behave.refusesTasks = true;
    const first = await start("Pay?");
    await inState(first, "failed");
    await until("it is known", async () => (await traits()).refusesTasks === true);
    remote.behave.refusesTasks = false;
    const second = await start("Pay?");
    await inState(second, "failed");
    expect(declaredAtCalls()).toEqual([undefined, undefined]);
  });
});

describe("server-everything", () => {
  let everything: OfficialServer;
  beforeAll(async () => {
    everything = await startOfficialServer("everything");
  });
  afterAll(() => everything?.stop());

  test("offers its tool where it may ask so, which is known of it", async () => {
    const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
    onTestFinished(() => network.close());
    const offered = async (known: Traits) => {
      const { found } = await probe(
        { url: everything.url, headers: {} },
        "2025-11-25",
        network,
        undefined,
        known,
      );
      return found?.tools.some(({ name }) => name === "trigger-elicitation-request-async");
    };
    expect(await offered({})).toBe(false);
    expect(await offered({ opensStream: true })).toBe(true);
  });

  test("asks as a task, looks for it on the call's own stream, and goes by the answer", async () => {
    server = await addServer(everything.url);
    const id = await fixture.startTask(
      server,
      {},
      tool("trigger-elicitation-request-async", { taskSupport: "forbidden" }),
    );
    const { id: requestId } = await openRequest(id);
    await fixture.answer(requestId, { action: "accept", content: { name: "Ada" } });
    const { result } = await inState(id, "completed");
    expect(JSON.stringify(result)).toContain("- Name: Ada");
    expect(await deliveryOf(requestId)).toMatchObject({ state: "confirmed", rung: "fetched", attempts: 1 });
  });
});

function cancel(id: string): Promise<void> {
  return fixture.within((tx) => requestCancel(tx, fixture.operator, id));
}
