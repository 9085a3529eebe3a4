/** Tools of 2026-07-28 that ask before they make a task: the call is repeated once, with the answers. */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { age } from "../../../test/fixtures/row-age.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { statementsOf } from "../../../test/guards/statements.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";
import { requestCancel } from "../../lifecycle/task-writes.ts";
import type { Tool } from "../../mcp/peer.ts";
import { undoAnswer } from "../../requests/answers/answer-writes.ts";
import type { Engine } from "../engine.ts";

const remote = forFile(startTestServer);
const fixture = organizationForFile(["127.0.0.1"]);
let server: { serverId: string; connectionId: string };
let engine: Engine;
const queries = createQueries(() => fixture);

beforeAll(async () => {
  server = await fixture.addServer(remote.url, "2026-07-28");
  engine = await fixture.startEngine();
});
beforeEach(() => {
  remote.calls.length = 0;
  remote.behave.onOrder = undefined;
});

const ORDER: Tool = tool("order");
/** Returns what people see of an answer, from its delivery and the history. */
async function deliveryStateOf(inputRequestId: string) {
  const { acceptedAt, inDoubt } = await queries.deliveryOf(inputRequestId);
  const lines = await fixture.within((tx) =>
    tx.event.findMany({
      where: {
        organizationId: fixture.organizationId,
        inputRequestId,
        type: { in: ["delivery.accepted", "delivery.confirmed"] },
      },
      orderBy: { seq: "asc" },
    }),
  );
  const replies = lines.map(({ type, data }) => [type, (data as { reply?: string }).reply]);
  return { accepted: acceptedAt !== null, inDoubt, replies };
}
const TAKEN = {
  accepted: true,
  inDoubt: false,
  replies: [
    ["delivery.accepted", undefined],
    ["delivery.confirmed", undefined],
  ],
};
const three = { action: "accept" as const, content: { n: 3 } };

test("the question of a call waits in the inbox; the repeated call carries the answer, and the state unchanged", async () => {
  const id = await fixture.startTask(server, { note: "Tea" }, ORDER);
  const request = await queries.openRequest(id);
  expect(await queries.task(id)).toMatchObject({ state: "input_required", durable: true });
  expect(request.message).toBe("How many?");
  // The engine that captured the question is gone.
  await engine.stop();
  engine = await fixture.startEngine();
  await fixture.answer(request.id, three);
  const done = await queries.inState(id, "completed");
  expect(JSON.stringify(done.result)).toContain("first ✓ second");
  expect((await queries.request(request.id)).state).toBe("settled");
  expect(await queries.deliveryOf(request.id)).toMatchObject({
    state: "confirmed",
    attempts: 1,
    rung: "retry",
  });
  expect(await deliveryStateOf(request.id)).toEqual(TAKEN);
  // The server makes two silent rounds and one with a question; the last call carries the answer.
  expect(remote.calls.map(({ inputResponses }) => inputResponses)).toEqual([
    undefined,
    undefined,
    { amount: three },
  ]);
  expect(remote.calls.at(-1)).toMatchObject({ arguments: { note: "Tea" } });
});

test("several questions: nothing is sent before all are answered, and an answer can still be undone until then", async () => {
  remote.behave.onOrder = "two";
  const id = await fixture.startTask(server, {}, ORDER);
  await until("both are open", async () => (await queries.requestsOf(id)).length === 2);
  const [first, second] = await queries.requestsOf(id);
  await fixture.answer(first!.id, three);
  await fixture.answer(second!.id, { action: "decline", holdMs: 30_000 });
  await fixture.within((tx) => undoAnswer(tx, fixture.approver, second!.id));
  expect(remote.calls.length).toBe(2);
  await fixture.answer(second!.id, { action: "decline" });
  await queries.inState(id, "completed");
  expect(remote.calls.at(-1)?.inputResponses).toEqual({ amount: three, colour: { action: "decline" } });
});

test("as many questions at once as a task may have open: its arguments, which may be large, are read with the first", async () => {
  remote.behave.onOrder = "hundred";
  const args = { total: 5, payment: { note: "x", iban: "DE89370400440532013000" } };
  const [id, sent] = await statementsOf(async () => {
    const id = await fixture.startTask(server, args, ORDER);
    await queries.inState(id, "input_required");
    return id;
  });
  const requests = await queries.requestsOf(id);
  expect(requests).toHaveLength(100);
  // Judged before the transaction, as the others are in it.
  expect(requests.map(({ amount }) => amount)).toEqual(requests.map(() => 5));
  const captures = sent.filter((text) => text.includes(`AS "confirmedBefore"`));
  expect(captures).toHaveLength(100);
  expect(captures.filter((text) => text.includes("t.arguments"))).toHaveLength(1);
  await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
  await queries.inState(id, "cancelled");
});

test("more questions at once than a task may have open: nobody is asked, and the task fails in words", async () => {
  remote.behave.onOrder = "many";
  const id = await fixture.startTask(server, {}, ORDER);
  expect((await queries.inState(id, "failed")).error).toMatchObject({
    message: "The server asks 101 questions at once. Intray takes 100.",
  });
  expect(await queries.requestsOf(id)).toEqual([]);
});

test("asked again after the answers: the new request is open, and the old answer is not applied to it", async () => {
  remote.behave.onOrder = "again";
  const id = await fixture.startTask(server, {}, ORDER);
  const first = await queries.openRequest(id);
  await fixture.answer(first.id, three);
  const again = await until("it asks again", async () =>
    (await queries.requestsOf(id)).find(({ state, id: one }) => state === "open" && one !== first.id),
  );
  expect((await queries.request(first.id)).state).toBe("settled");
  expect(await deliveryStateOf(first.id)).toEqual(TAKEN);
  expect(again.askedAgain).toBe(true);
  remote.behave.onOrder = undefined;
  await fixture.answer(again.id, { action: "accept", content: { n: 4 } });
  await queries.inState(id, "completed");
});

test("the repeated call makes a task: the answers count as accepted, and the ttl counts from the task's creation", async () => {
  remote.behave.onOrder = "task";
  const id = await fixture.startTask(server, {}, ORDER);
  const request = await queries.openRequest(id);
  await engine.stop();
  await age(fixture, id, 2);
  engine = await fixture.startEngine();
  await fixture.answer(request.id, three);
  const made = await queries.inState(id, "working");
  expect(await deliveryStateOf(request.id)).toEqual(TAKEN);
  const [there] = remote.tasks.values();
  expect(made.expiresAt).toEqual(new Date(Date.parse(there!.createdAt) + 60_000));
  // Polls find the task two days after its first call, long before its ttl is over.
  await until("it was polled", async () => {
    const row = await fixture.within((tx) =>
      tx.taskWatch.findFirstOrThrow({ where: { organizationId: fixture.organizationId, taskId: id } }),
    );
    return row.lastCheckedAt !== null;
  });
  const { traits } = await fixture.within((tx) =>
    tx.server.findFirstOrThrow({ where: { organizationId: fixture.organizationId, id: server.serverId } }),
  );
  expect(traits).not.toHaveProperty("outlivesTtl");
  remote.tasks.clear();
  await queries.inState(id, "lost");
});

test("a retry whose reply is lost is not made again: a person decides, and the answer stays where it is", async () => {
  const id = await fixture.startTask(server, {}, ORDER);
  const request = await queries.openRequest(id);
  remote.behave.onOrder = "drop";
  await fixture.answer(request.id, three);
  await queries.inState(id, "start_unknown");
  expect(remote.calls.length).toBe(3);
  expect(await queries.deliveryOf(request.id)).toMatchObject({ state: "sending", attempts: 1 });
});

test("the server refuses the answers for good: the task fails with its words, the answer was not taken", async () => {
  const id = await fixture.startTask(server, {}, ORDER);
  const request = await queries.openRequest(id);
  remote.behave.onOrder = "refuse";
  await fixture.answer(request.id, three);
  expect((await queries.inState(id, "failed")).error).toMatchObject({ message: "The state has expired" });
  expect((await queries.request(request.id)).state).toBe("undeliverable");
});

test("a server that is down when the answer is due gets it once, when it is back", async () => {
  const id = await fixture.startTask(server, {}, ORDER);
  const request = await queries.openRequest(id);
  await remote.goDown();
  await fixture.answer(request.id, three);
  await until("it was tried", async () => (await queries.deliveryOf(request.id)).attempts > 0);
  await remote.comeBack();
  await queries.inState(id, "completed");
  expect(remote.calls.length).toBe(3);
});

test("cancelled between two calls: nothing runs at the server, so the task is cancelled at once", async () => {
  const id = await fixture.startTask(server, {}, ORDER);
  const request = await queries.openRequest(id);
  await fixture.within((tx) => requestCancel(tx, fixture.operator, id));
  await queries.inState(id, "cancelled");
  expect((await queries.request(request.id)).state).toBe("withdrawn");
  expect(remote.calls.length).toBe(2);
});
