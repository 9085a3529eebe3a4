/** 2025-11-25, questions that a server puts as tasks: windows between the commit of a fetch and its bytes. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { until } from "../../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { startTaskRequestor, type TaskRequestor } from "../../../../test/servers/tasks/task-requestor.ts";
import { loseReplyWhen, SLEEP, sleep, trigger } from "../../../../test/setup/windows.ts";

vi.mock("../../tunables.ts", async (original) => ({
  ...(await original<typeof import("../../tunables.ts")>()),
  RETELL_MS: 500,
}));

const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
let remote: TaskRequestor;
let server: { serverId: string; connectionId: string };
const { deliveryOf, openRequest, request, inState } = createQueries(() => fixture);

beforeEach(async () => {
  remote = await startTaskRequestor();
  server = await fixture.addServer(remote.url, "2025-11-25");
  const data = { traits: { opensStream: true } };
  await fixture.within((tx) => tx.server.updateMany({ where: { id: server.serverId }, data }));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await remote.close();
});

const approve = { action: "accept" as const, content: { approve: true } };
const requestedSchema = { type: "object", properties: { approve: { type: "boolean" } } };
async function asked(message: string, by: "never" | "result" = "never") {
  const id = await fixture.startTask(server, { message, by }, tool("ask", { taskSupport: "required" }));
  const { id: requestId } = await openRequest(id, message);
  const { taskId } = await until("the server has the task's id", async () =>
    remote.tasks.find((one) => one.message === message),
  );
  return { id, requestId, taskId };
}
async function waitingFor(taskId: string) {
  const row = await fixture.within((tx) => tx.elicitationTask.findFirstOrThrow({ where: { id: taskId } }));
  return (row.waiting as unknown[]).length;
}

test("an answer that is being committed as fetched never goes to another request that takes the waiting one's id", async () => {
  const { id, requestId, taskId } = await asked("Pay?");
  remote.useIdsFrom(700);
  void remote.request("tasks/result", { taskId }, { patienceMs: 600_000 }).catch(() => undefined);
  await until("its result is waited for", async () => (await waitingFor(taskId)) === 1);
  const sending = await trigger(fixture, {
    timing: "AFTER",
    on: "UPDATE OF state ON delivery",
    when: "NEW.state = 'sending' AND OLD.state <> 'sending'",
    body: SLEEP(2),
  });
  await fixture.answer(requestId, approve);
  await sending.called();
  remote.useIdsFrom(700);
  const other = remote.request("elicitation/create", { message: "Another?", requestedSchema });
  const got = await Promise.race([other, sleep(6_000).then(() => "nothing yet")]);
  expect(got).toBe("nothing yet");
  const { id: otherId } = await openRequest(id, "Another?");
  await fixture.answer(otherId, { action: "decline" });
  expect(await other).toEqual({ action: "decline" });
});

test("the reply of the commit of a fetch is lost: the answer is given once", async () => {
  const { id, requestId } = await asked("Pay?", "result");
  const reply = loseReplyWhen(
    async (taskId) => taskId === id && (await deliveryOf(requestId).catch(() => null))?.state === "sending",
  );
  await fixture.answer(requestId, approve);
  await inState(id, "completed");
  expect(reply.times).toBe(1);
  expect(remote.tasks[0]?.answers).toMatchObject([approve]);
  expect((await request(requestId)).state).toBe("settled");
  expect((await deliveryOf(requestId)).state).toBe("confirmed");
});

test("the server cancels its task while the fetch is being committed: the answer counts on both sides, or on none", async () => {
  const { requestId, taskId } = await asked("Pay?");
  const waits = remote.request("tasks/result", { taskId }, { patienceMs: 600_000 }).then(
    (result) => ({ result }),
    (error: unknown) => ({ error: String(error) }),
  );
  await until("its result is waited for", async () => (await waitingFor(taskId)) === 1);
  const sending = await trigger(fixture, {
    timing: "AFTER",
    on: "UPDATE OF state ON delivery",
    when: "NEW.state = 'sending' AND OLD.state <> 'sending'",
    body: SLEEP(2),
  });
  await fixture.answer(requestId, approve);
  await sending.called();
  const cancelled = await remote.request("tasks/cancel", { taskId }).then(
    () => "cancelled",
    (error: unknown) => String(error),
  );
  const got = await waits;
  await sleep(500);
  expect(cancelled).toContain("completed");
  expect(got).toMatchObject({ result: approve });
});

test("a write fails once over a request for an elicitation task: the server's own task does not end by it", async () => {
  const write = await trigger(fixture, {
    on: "UPDATE OF looked_at ON elicitation_task",
    when: "true",
    body: "IF calls = 1 THEN RAISE EXCEPTION 'not now'; END IF;",
  });
  const id = await fixture.startTask(
    server,
    { message: "Pay?", by: "get" },
    tool("ask", { taskSupport: "required" }),
  );
  const { id: requestId } = await openRequest(id, "Pay?");
  await write.called();
  await sleep(1_500);
  await fixture.answer(requestId, approve);
  await inState(id, "completed");
});
