/** 2025-11-25: how much a server may ask of the tasks that Intray keeps for it, and for how long it may ask to keep them. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTaskRequestor, type TaskRequestor } from "../../../test/servers/tasks/task-requestor.ts";
import { TASK_REQUESTS, TASK_REQUESTS_AT_ONCE, WAITING_RESULTS } from "../tunables.ts";

// A hundred, and ten thousand.
const MOST_OPEN = 3;
const MOST_NOBODYS = 20;
vi.mock("../../mcp/limits.ts", async (original) => ({
  ...(await original<typeof import("../../mcp/limits.ts")>()),
  OPEN_QUESTIONS: 3,
  NOBODYS_TASKS: 20,
}));

const fixture = organizationForFile(["127.0.0.1"]);
let remote: TaskRequestor;
let server: { serverId: string; connectionId: string };
const log: string[] = [];

beforeAll(async () => {
  await fixture.startEngine((line) => log.push(line));
});
beforeEach(async () => {
  remote = await startTaskRequestor();
  server = await fixture.addServer(remote.url, "2025-11-25");
  await fixture.within((tx) =>
    tx.server.updateMany({ where: { id: server.serverId }, data: { traits: { opensStream: true } } }),
  );
});
afterEach(() => remote.close());

const approve = { action: "accept" as const, content: { approve: true } };
const { deliveryOf, inState, openRequest, request, requestsOf } = createQueries(() => fixture);
const start = (args: Record<string, unknown>) =>
  fixture.startTask(server, { by: "never", ...args }, tool("ask", { taskSupport: "required" }));

/** A question that is open here, and the id that the server has for it. */
async function asked(message: string, more: Record<string, unknown> = {}) {
  const id = await start({ message, ...more });
  const { id: requestId } = await openRequest(id, message);
  const { taskId, created } = await until("the server has the task's id", async () =>
    remote.tasks.find((one) => one.message === message),
  );
  return { id, requestId, taskId, created };
}

describe("a rate", () => {
  test("of requests: so many are answered at a time, so many wait, and those beyond get no answer", async () => {
    const { taskId } = await asked("Pay?");
    let answered = 0;
    await withClient(fixture.adminUrl, async (client) => {
      const running = async () => {
        // Otherwise a transaction sees the sessions as of its first read.
        await client.query("SELECT pg_stat_clear_snapshot()");
        const { rows } = await client.query(`SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%elicitation_task%'`);
        return rows.length;
      };
      await client.query("BEGIN; LOCK TABLE elicitation_task IN ACCESS EXCLUSIVE MODE");
      for (let at = 0; at < TASK_REQUESTS + TASK_REQUESTS_AT_ONCE + 30; at++)
        void remote.request("tasks/get", { taskId }, { patienceMs: 600_000 }).then(
          () => answered++,
          // Those without an answer wait until this server ends.
          () => undefined,
        );
      await until("the server is told off", async () => log.some((line) => line.includes("floods us with")));
      await until("some are answered", async () => (await running()) >= TASK_REQUESTS_AT_ONCE);
      expect(await running()).toBe(TASK_REQUESTS_AT_ONCE);
      await client.query("COMMIT");
    });
    const taken = TASK_REQUESTS + TASK_REQUESTS_AT_ONCE;
    await until("all that were taken are answered", async () => answered === taken);
    // The server goes on as ever.
    expect(await remote.request("tasks/get", { taskId })).toMatchObject({ status: "working" });
    expect(answered).toBe(taken);
  });

  test("of results that wait: one more is refused, and the others get the answer, which counts once", async () => {
    const { requestId, taskId } = await asked("Pay?");
    const outcomes = Array.from({ length: WAITING_RESULTS + 1 }, () =>
      remote.request("tasks/result", { taskId }).then(
        (result) => ({ result }),
        (error: { code: number; message: string }) => ({ error }),
      ),
    );
    const refused = await Promise.race(outcomes);
    expect(refused).toMatchObject({
      error: { code: -32603, message: expect.stringContaining("Too many requests wait for this result") },
    });
    await fixture.answer(requestId, approve);
    const all = await Promise.all(outcomes);
    expect(all.filter((one) => "result" in one)).toHaveLength(WAITING_RESULTS);
    for (const one of all) if ("result" in one) expect(one.result).toMatchObject(approve);
    expect(await deliveryOf(requestId)).toMatchObject({ state: "accepted", attempts: 1 });
  });

  test("of questions: each has its task at once, and those beyond are asked as others are answered", async () => {
    const times = MOST_OPEN + 2;
    const id = await start({ message: "Pay", by: "get", times, distinct: true });
    await until("all are announced", async () => remote.tasks.length === times);
    const open = async () => (await requestsOf(id)).filter(({ state }) => state === "open");
    await until("some are open", async () => (await open()).length === MOST_OPEN);
    for (const { taskId } of remote.tasks)
      expect(await remote.request("tasks/get", { taskId })).toMatchObject({ status: "working" });
    for (let at = 0; at < times; at++) {
      const [first] = await until("one is open", async () => {
        const all = await open();
        return all.length > 0 && all;
      });
      expect((await open()).length).toBeLessThanOrEqual(MOST_OPEN);
      await fixture.answer(first!.id, approve);
    }
    await inState(id, "completed");
    expect(remote.tasks.map(({ answers }) => answers.length)).toEqual(Array(times).fill(1));
  });
});

test("questions that wait for room: one too many is refused, and taken once there is room", async () => {
  const { requestId, taskId } = await asked("Pay?");
  const requestedSchema = { type: "object", properties: { approve: { type: "boolean" } } };
  const put = (message: string) =>
    remote.request("elicitation/create", { message, requestedSchema, task: {} }).then(
      () => null,
      (error: { code: number; message: string }) => error,
    );
  let taken = 0;
  let refused = await put("Pay 0?");
  for (; refused === null && taken < 100; taken++) refused = await put(`Pay ${taken + 1}?`);
  expect(refused).toMatchObject({
    code: -32603,
    message: expect.stringContaining("Too many questions wait"),
  });
  expect(taken).toBeGreaterThanOrEqual(MOST_NOBODYS);
  await fixture.answer(requestId, approve);
  expect(await remote.request("tasks/result", { taskId })).toMatchObject(approve);
  await until("there is room", async () => (await put("Pay the last?")) === null);
});

describe("a ttl", () => {
  const CENTURY_MS = 100 * 365 * 24 * 3600_000;

  test.each([
    ["beyond anybody's life is a century", 1e300, CENTURY_MS],
    ["of a fraction is whole", 600_000.4, 600_000],
    ["below nothing is none", -1, null],
  ])("%s, which the server is told, and its question is answered as any", async (_, ttl, kept) => {
    const { id, requestId, taskId, created } = await asked("Pay?", { ttl, by: "result" });
    expect(created.ttl).toBe(kept);
    expect(await remote.request("tasks/get", { taskId })).toMatchObject({ ttl: kept, status: "working" });
    const { createdAt, expiresAt } = await request(requestId);
    if (kept === null) expect(expiresAt).toBeNull();
    else expect(Math.abs(expiresAt!.getTime() - createdAt.getTime() - kept)).toBeLessThan(60_000);
    await fixture.answer(requestId, approve);
    await inState(id, "completed");
    expect(remote.tasks[0]?.answers).toMatchObject([approve]);
  });
});
