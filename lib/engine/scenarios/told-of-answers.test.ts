/** What people are told of an answer is what the server got: against servers that take it and tell of it late, twice or never. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { type SessionServer, startSessionServer } from "../../../test/servers/session-server.ts";
import { resend } from "../../requests/deliveries/delivery-writes.ts";

const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
const queries = createQueries(() => fixture, 180_000);
const approve = { action: "accept" as const, content: { approve: true } };

const ended = (requestId: string) =>
  until("the request has ended", async () => {
    const row = await queries.request(requestId);
    return row.endedAt && row;
  });

describe("on 2026-07-28", () => {
  let remote: TestServer;
  let server: { serverId: string; connectionId: string };
  beforeEach(async () => {
    remote = await startTestServer();
    server = await fixture.addServer(remote.url, "2026-07-28");
  });
  afterEach(() => remote.close());
  const start = () => fixture.startTask(server, {}, tool("approve"));
  const only = () => [...remote.tasks.values()][0]!;
  const moveOn = () => {
    const task = only();
    task.status = "working";
    delete task.inputRequests;
  };

  test("an answer that the server had taken, and a person sends again as it moves on, counts as taken", async () => {
    remote.behave.onUpdate = () => "ignore";
    const id = await start();
    const request = await queries.openRequest(id);
    await fixture.answer(request.id, approve);
    await until("it is flagged", async () => (await queries.deliveryOf(request.id)).flagged);
    await fixture.within(async (tx) => {
      await resend(tx, fixture.operator, request.id);
      moveOn();
    });
    expect(await ended(request.id)).toMatchObject({ state: "settled", endedReason: null });
    expect(await queries.deliveryOf(request.id)).toMatchObject({ state: "confirmed", flagged: false });
  });

  test("an answer whose reply was lost, and whose question is gone, was sent without a reply: never withdrawn, never accepted", async () => {
    remote.behave.onUpdate = () => {
      moveOn();
      return "drop";
    };
    const id = await start();
    const request = await queries.openRequest(id);
    await fixture.answer(request.id, approve);
    expect(await ended(request.id)).toMatchObject({ state: "settled" });
    expect(await queries.deliveryOf(request.id)).toMatchObject({ state: "confirmed", acceptedAt: null });
  });

  test("an answer whose reply was lost with the task is neither called sent nor unsent: nobody knows", async () => {
    remote.behave.onUpdate = ({ taskId }) => {
      remote.tasks.delete(taskId);
      return "drop";
    };
    const id = await start();
    const request = await queries.openRequest(id);
    await fixture.answer(request.id, approve);
    expect(await ended(request.id)).toMatchObject({ state: "withdrawn", endedReason: "task_ended" });
    expect(await queries.deliveryOf(request.id)).toMatchObject({
      state: "failed",
      inDoubt: true,
      acceptedAt: null,
    });
    const line = await fixture.within((tx) =>
      tx.event.findFirstOrThrow({
        where: { organizationId: fixture.organizationId, taskId: id, type: "request.withdrawn" },
      }),
    );
    expect(line.data).toEqual({ reason: "task_ended", answer: "in_doubt" });
  });

  test("an answer that the server had taken and then refuses to take twice is not called undelivered", async () => {
    remote.behave.onUpdate = () => "ignore";
    const id = await start();
    const request = await queries.openRequest(id);
    await fixture.answer(request.id, approve);
    await until("it is flagged", async () => (await queries.deliveryOf(request.id)).flagged);
    remote.behave.onUpdate = () => "refuse";
    await fixture.within((tx) => resend(tx, fixture.operator, request.id));
    await until("it was sent again", async () => remote.answers.length === 2);
    await until("it waits for the task", async () => {
      const { state, attempts } = await queries.deliveryOf(request.id);
      return state === "accepted" && attempts === 2;
    });
    expect((await queries.request(request.id)).state).toBe("answered");
    moveOn();
    expect(await ended(request.id)).toMatchObject({ state: "settled" });
  });
});

describe("on 2025-11-25", () => {
  let remote: SessionServer;
  let server: { serverId: string; connectionId: string };
  beforeEach(async () => {
    remote = await startSessionServer();
    server = await fixture.addServer(remote.url, "2025-11-25");
  });
  afterEach(() => remote.close());

  /** Starts a task and answers its question; the server accepts the answer. */
  async function answered() {
    const id = await fixture.startTask(server, {}, tool("work", { taskSupport: "required" }));
    await queries.inState(id, "working");
    const mine = await until("the server has the task", async () => remote.tasks[0]);
    mine.status = "input_required";
    await until("it listens", async () => remote.ask(mine, "Really?") !== null);
    const request = await queries.openRequest(id, "Really?");
    await queries.inState(id, "input_required");
    return { id, mine, request };
  }

  test("an answer that was taken, and whose question is put once more as the task moves on, counts as taken", async () => {
    const { mine, request } = await answered();
    remote.behave.answer = (task) => {
      remote.behave.answer = undefined;
      remote.ask(task, "Really?");
      remote.behave.get = async () => {
        await until("the question came once more", async () => (await queries.asksOf(request.id)) === 2);
        mine.status = "working";
      };
    };
    await fixture.answer(request.id, approve);
    expect(await ended(request.id)).toMatchObject({ state: "settled", endedReason: null });
    const { state, acceptedAt } = await queries.deliveryOf(request.id);
    expect([state, acceptedAt === null]).toEqual(["confirmed", false]);
    // The engine learns no lifetime of questions from this.
    const { traits } = await fixture.within((tx) =>
      tx.server.findFirstOrThrow({ where: { organizationId: fixture.organizationId, id: server.serverId } }),
    );
    expect(traits).not.toHaveProperty("withdrawnAtMs");
  });

  test("an answer that was taken, and asked for again, is not called unsent when the server loses the task", async () => {
    const { request } = await answered();
    remote.behave.answer = (task) => {
      remote.behave.answer = undefined;
      remote.ask(task, "Really?");
      remote.behave.get = async () => {
        await until("the question came once more", async () => (await queries.asksOf(request.id)) === 2);
        remote.tasks.length = 0;
      };
    };
    await fixture.answer(request.id, approve);
    expect(await ended(request.id)).toMatchObject({ state: "settled" });
  });
});
