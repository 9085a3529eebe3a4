/** Tasks that Intray keeps for a server of 2025-11-25 that uses its ids anew, or puts a question again and again. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTaskRequestor, type TaskRequestor } from "../../../test/servers/tasks/task-requestor.ts";
import { ASKS, QUESTION_TASKS } from "../../mcp/limits.ts";

const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
let remote: TaskRequestor;
let server: { serverId: string; connectionId: string };
const { deliveryOf, inState, openRequest, request, requestsOf } = createQueries(() => fixture);
const approve = { action: "accept" as const, content: { approve: true } };
const requestedSchema = { type: "object", properties: { approve: { type: "boolean" } } };

beforeEach(async () => {
  remote = await startTaskRequestor();
  server = await fixture.addServer(remote.url, "2025-11-25");
  const data = { traits: { opensStream: true } };
  await fixture.within((tx) => tx.server.updateMany({ where: { id: server.serverId }, data }));
});
afterEach(() => remote.close());

/** A task that works, in whose session the server may ask what it likes. */
async function working() {
  const ask = tool("ask", { taskSupport: "required" });
  const id = await fixture.startTask(server, { message: "Begin?", by: "never" }, ask);
  await openRequest(id, "Begin?");
  return id;
}
/** Puts a question as a task. Returns the task's id. */
async function put(message: string, patienceMs = 180_000): Promise<string> {
  const params = { message, requestedSchema, task: {} };
  const made = await remote.request("elicitation/create", params, { patienceMs });
  return (made.task as { taskId: string }).taskId;
}
/** Puts one question as so many tasks, as fast as they are taken. Returns the ids of those that were, and the errors. */
async function putMany(taskId: string, message: string, count: number) {
  const ids: string[] = [];
  const errors: { code: number; message: string }[] = [];
  for (let at = 0; at < count; at += 10) {
    const made = await Promise.allSettled(Array.from({ length: 10 }, () => put(message)));
    for (const one of made)
      if (one.status === "fulfilled") ids.push(one.value);
      else errors.push(one.reason as { code: number; message: string });
    await until("they are taken", async () => {
      const where = { connectionId: server.connectionId, taskId: null };
      return (await fixture.within((tx) => tx.elicitationTask.count({ where }))) === 0;
    });
  }
  await openRequest(taskId, message);
  return { ids, errors };
}
const resultOf = (taskId: string, patienceMs = 180_000) =>
  remote.request("tasks/result", { taskId }, { patienceMs });
const get = (taskId: string) => remote.request("tasks/get", { taskId });

describe("a server whose ids begin anew in a session, as after its restart,", () => {
  test("gets the answer to a question that it put under the same id before", async () => {
    const id = await working();
    remote.useIdsFrom(700);
    const first = await put("First?");
    const one = await openRequest(id, "First?");
    remote.useIdsFrom(700);
    await put("Second?");
    await openRequest(id, "Second?");
    await fixture.answer(one.id, approve);
    await until("it may be fetched", async () => (await get(first)).status === "completed");
    expect(await resultOf(first).catch((error: Error) => error.message)).toMatchObject(approve);
  });

  test("cancels the task that it names, and no other question", async () => {
    const id = await working();
    remote.useIdsFrom(700);
    const first = await put("First?");
    const one = await openRequest(id, "First?");
    remote.useIdsFrom(700);
    const second = await put("Second?");
    const other = await openRequest(id, "Second?");
    expect(await remote.request("tasks/cancel", { taskId: first })).toMatchObject({ status: "cancelled" });
    expect([(await request(one.id)).state, (await request(other.id)).state]).toEqual(["withdrawn", "open"]);
    expect(await get(second)).toMatchObject({ status: "working" });
  });

  test("gives up the request that has the id by now, and no question that was put under it", async () => {
    const id = await working();
    remote.useIdsFrom(700);
    const first = await put("First?");
    const one = await openRequest(id, "First?");
    remote.useIdsFrom(700);
    await expect(resultOf(first, 500)).rejects.toThrow("timed out");
    await put("Second?");
    await openRequest(id, "Second?");
    expect((await request(one.id)).state).toBe("open");
    expect(await get(first)).toMatchObject({ status: "working" });
  });
});

describe("one question that is put as ever more tasks", () => {
  test("makes no more rows than ways to it are kept", { tags: ["full"] }, async () => {
    const id = await working();
    // A task that is told to the server is kept, so that one too many is refused: the server knows, and nothing is lost.
    const { ids, errors } = await putMany(id, "Again?", 3 * ASKS);
    expect([ids.length, errors.length]).toEqual([QUESTION_TASKS, 3 * ASKS - QUESTION_TASKS]);
    for (const error of errors)
      expect(error).toMatchObject({ code: -32603, message: expect.stringContaining("waits already, as 50") });
    const rows = await fixture.within((tx) => tx.elicitationTask.count({ where: { taskId: id } }));
    // As many ways to "Begin?" and to this one.
    expect(rows).toBeLessThanOrEqual(2 * ASKS);
  });

  test("is answered to whoever waits for the first of them, too", async () => {
    const id = await working();
    const first = await put("Again?");
    const { ids } = await putMany(id, "Again?", ASKS + 10);
    await fixture.answer((await openRequest(id, "Again?")).id, approve);
    await until("it may be fetched", async () => (await get(first)).status === "completed");
    for (const taskId of [first, ids[0]!, ids.at(-1)!])
      expect(await resultOf(taskId).catch((error: Error) => error.message)).toMatchObject(approve);
  });
});

test("an answer that was fetched is not given to the same question when it is put later", async () => {
  const id = await working();
  const first = await put("Pay the next line?");
  await fixture.answer((await openRequest(id, "Pay the next line?")).id, approve);
  expect(await resultOf(first)).toMatchObject(approve);
  const second = await put("Pay the next line?");
  const waiting = resultOf(second);
  // The first stays answered, and the second is for a person.
  const { id: requestId } = await openRequest(id, "Pay the next line?");
  expect(await resultOf(first)).toMatchObject(approve);
  const decline = { action: "decline" as const };
  await fixture.answer(requestId, decline);
  expect(await waiting).toMatchObject(decline);
  expect((await requestsOf(id)).filter(({ message }) => message === "Pay the next line?")).toHaveLength(2);
});

test.each([
  ["was fetched", false],
  ["may have been fetched", true],
])("an answer that %s in a session that is gone is given to the question in the next", async (_, isCut) => {
  const id = await working();
  const first = await put("Pay once?");
  await fixture.answer((await openRequest(id, "Pay once?")).id, approve);
  remote.behave.cutsReplies = isCut;
  const fetched = resultOf(first).catch(() => null);
  const [asked] = (await requestsOf(id)).filter(({ message }) => message === "Pay once?");
  await until(
    "it is known",
    async () => (await deliveryOf(asked!.id)).state === (isCut ? "sending" : "accepted"),
  );
  const { size } = remote.capabilities;
  await remote.forgetSessions();
  await fetched;
  remote.behave.cutsReplies = false;
  await until("there is another session", async () => remote.capabilities.size > size);
  // What is said before the session has its stream is heard by nobody.
  const second = await until("it is heard", () => put("Pay once?", 3_000).catch(() => null));
  expect(await resultOf(second)).toMatchObject(approve);
  expect((await requestsOf(id)).filter(({ message }) => message === "Pay once?")).toHaveLength(1);
});

test("a task whose question came again under the name of its asking task ends with that", async () => {
  remote.behave.mostSessions = 1;
  const one = await working();
  const ask = tool("ask", { taskSupport: "required" });
  const other = await fixture.startTask(server, { message: "Begin too?", by: "never" }, ask);
  await inState(other, "working");
  // It can be of either of the two that share the session.
  const unnamed = await put("Pay?");
  const related = { "io.modelcontextprotocol/related-task": { taskId: remote.own[0] } };
  const params = { message: "Pay?", requestedSchema, task: {}, _meta: related };
  const named = (await remote.request("elicitation/create", params)).task as { taskId: string };
  await fixture.answer((await openRequest(one, "Pay?")).id, approve);
  expect(await resultOf(named.taskId)).toMatchObject(approve);
  await until("it has ended, too", async () => (await get(unnamed)).status !== "working");
  expect(await resultOf(unnamed)).toMatchObject(approve);
});
