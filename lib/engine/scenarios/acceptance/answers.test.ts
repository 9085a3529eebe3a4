/** Acceptance scenarios about one answer and what the server makes of it. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import {
  createInvoiceDatabase,
  type InvoiceServer,
  startInvoiceServer,
} from "../../../../test/servers/invoice-server.ts";
import { startTestServer } from "../../../../test/servers/mcp-server.ts";
import { startSessionServer } from "../../../../test/servers/session-server.ts";
import { createTestDatabase } from "../../../../test/setup/postgres.ts";
import type { Era } from "../../../mcp/peer.ts";
import { readTask } from "../../../tasks/task-reads.ts";

let fixture: OrganizationFixture;
let invoices: InvoiceServer;
const ends: (() => Promise<void>)[] = [];
const { task, requestsOf, openRequest, deliveryOf, asksOf, inState, health } = createQueries(() => fixture);
const approve = { action: "accept" as const, content: { approve: true } };

beforeAll(async () => {
  const { adminUrl, drop } = await createTestDatabase();
  ends.push(drop);
  const database = await createInvoiceDatabase(adminUrl);
  ends.push(() => database.drop());
  invoices = await startInvoiceServer(database.url);
  ends.push(() => invoices.kill());
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  ends.push(() => fixture.close());
  await fixture.startEngine();
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

describe("2: the server was killed after it took the answer, before it moved on, and asks the same again:", () => {
  test("2026-07-28, the same key: the answer is sent again, and nobody is asked a second time", async () => {
    const remote = await startTestServer();
    onTestFinished(() => remote.close());
    const server = await fixture.addServer(remote.url, "2026-07-28");
    // The server kept the answer in memory only, so after its restart the question is open again.
    remote.behave.onUpdate = () => {
      remote.behave.onUpdate = undefined;
      setTimeout(() => void remote.goDown(), 20);
      return "ignore";
    };
    const id = await fixture.startTask(server, {}, tool("approve"));
    const { id: requestId } = await openRequest(id);
    await fixture.answer(requestId, approve);
    await until("it is missed", async () => (await health(server.serverId)) === "unreachable");
    expect(await deliveryOf(requestId)).toMatchObject({ state: "accepted", attempts: 1 });
    await remote.comeBack();
    await inState(id, "completed");
    expect(remote.answers.map(({ answer }) => answer)).toEqual([approve, approve]);
    expect(await requestsOf(id)).toMatchObject([{ id: requestId, state: "settled" }]);
    expect(await deliveryOf(requestId)).toMatchObject({ state: "confirmed", attempts: 2 });
  });

  test("2025-11-25, another id in another session: the answer goes to that, once", async () => {
    const remote = await startSessionServer();
    onTestFinished(() => remote.close());
    const server = await fixture.addServer(remote.url, "2025-11-25");
    remote.behave.reissues = "Pay?";
    remote.behave.acrossSessions = true;
    const id = await fixture.startTask(server, {}, tool("work", { taskSupport: "required" }));
    await inState(id, "working");
    const there = remote.tasks[0]!;
    const before = there.session;
    there.status = "input_required";
    const { id: requestId } = await openRequest(id, "Pay?");
    remote.behave.answer = () => {
      remote.behave.answer = (again) => Object.assign(again, { status: "completed" });
      setTimeout(() => remote.forgetSessions(), 20);
    };
    await fixture.answer(requestId, approve);
    await inState(id, "completed");
    expect(remote.answered.map(({ result }) => result)).toEqual([approve, approve]);
    expect(remote.answered.map(({ session }) => session === before)).toEqual([true, false]);
    expect(await requestsOf(id)).toMatchObject([{ id: requestId, state: "settled" }]);
    expect(await asksOf(requestId)).toBe(2);
    expect(await deliveryOf(requestId)).toMatchObject({ state: "confirmed", attempts: 2 });
  });
});

test.each<Era>(["2026-07-28", "2025-11-25"])(
  "11: a rejected invoice of %s is completed with the outcome REJECTED, in the row and in the API's task",
  async (era) => {
    const server = await fixture.addServer(invoices.url, era);
    const lines = [{ description: "Line", amount: 10, due_date: "2024-06-30T00:00:00Z" }];
    const invoice = { invoice_id: `INV-${era}`, customer: "ACME Corp", lines };
    const id = await fixture.startTask(server, { invoice });
    await fixture.answer((await openRequest(id)).id, { action: "accept", content: { value: "reject" } });
    const rejected = { state: "completed", outcome: "REJECTED", outcomeIsError: false };
    expect(await inState(id, "completed")).toMatchObject(rejected);
    const detail = await fixture.within((tx) => readTask(tx, fixture.approver, id));
    expect(detail).toMatchObject({ ...rejected, error: null });
    expect(detail.inputRequests).toMatchObject([{ state: "settled" }]);
  },
);

test.each([
  { code: -32602, message: "Task not completed yet" },
  { code: -32603, message: "No result stored" },
])(
  "17: `tasks/result` answers $code while the task works: not ready, and the question is found all the same",
  async (error) => {
    const remote = await startSessionServer();
    onTestFinished(() => remote.close());
    const server = await fixture.addServer(remote.url, "2025-11-25");
    remote.behave.resultError = { ...error, early: true };
    const id = await fixture.startTask(server, {}, tool("work", { taskSupport: "required" }));
    await inState(id, "working");
    const there = remote.tasks[0]!;
    there.status = "input_required";
    await until("the result was asked for", async () =>
      remote.seen.some(({ method }) => method === "tasks/result"),
    );
    expect(await inState(id, "input_required")).toMatchObject({ error: null, finishedAt: null });
    expect(remote.ask(there, "Pay?")).not.toBeNull();
    const { id: requestId } = await openRequest(id, "Pay?");
    remote.behave.answer = () => Object.assign(there, { status: "completed" });
    await fixture.answer(requestId, approve);
    await inState(id, "completed");
    expect(await task(id)).toMatchObject({ outcome: "done", error: null });
    expect(await health(server.serverId)).toBe("ok");
    expect(remote.answered).toHaveLength(1);
  },
);

test.each(["idempotentHint", "readOnlyHint"])(
  "19: the reply to the call is lost, and the tool says %s: called again",
  async (hint) => {
    const remote = await startTestServer();
    onTestFinished(() => remote.close());
    const server = await fixture.addServer(remote.url, "2026-07-28");
    remote.behave.onCall = () => {
      remote.behave.onCall = undefined;
      return "drop";
    };
    const id = await fixture.startTask(server, {}, tool("approve", { annotations: { [hint]: true } }));
    await openRequest(id);
    expect(remote.calls).toHaveLength(2);
  },
);
