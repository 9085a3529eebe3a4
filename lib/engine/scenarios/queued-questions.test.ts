/**
 * 2025-11-25: servers on the protocol's package 1.x keep what a task says in a queue, from which each open `tasks/result`
 * takes. One whose stream was dropped takes too, and what it takes is lost.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTaskRequestor, type TaskRequestor } from "../../../test/servers/tasks/task-requestor.ts";
import type { Engine } from "../engine.ts";

const listens = vi.hoisted(() => ({ ms: 75_000 }));
vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  get RETRACTION_WAIT_MS() {
    return listens.ms;
  },
}));

const fixture = organizationForFile(["127.0.0.1"]);
let remote: TaskRequestor;
let engine: Engine;
const { deliveryOf, openRequest, inState, task } = createQueries(() => fixture);

beforeEach(async () => {
  remote = await startTaskRequestor();
  engine = await fixture.startEngine();
});
afterEach(async () => {
  await engine.stop();
  await remote.close();
});

/** Answers five questions of one task, `between` each one's arrival and its answer. Each has to come. */
async function answerFive(between: () => Promise<unknown>) {
  const server = await fixture.addServer(remote.url, "2025-11-25");
  const input = { message: "Pay?", by: "never", inTurn: 5 };
  const id = await fixture.startTask(server, input, tool("ask", { taskSupport: "required" }));
  const asked: string[] = [];
  // Whoever took for a dropped stream has been told by then.
  remote.behave.worksUntil = (n) =>
    until("the answer counts as accepted", async () => {
      const delivery = await deliveryOf(asked[n - 1]!);
      return delivery.state !== "pending" && delivery.state !== "sending";
    });
  for (let n = 1; n <= 5; n++) {
    const { id: requestId } = await openRequest(id, `Pay? ${n}`);
    asked.push(requestId);
    await between();
    await fixture.answer(requestId, { action: "accept", content: { approve: n % 2 === 0 } });
  }
  await inState(id, "completed");
  const { content } = (await task(id)).result as { content: { text: string }[] };
  const answers = JSON.parse(content[0]?.text ?? "") as { content: { approve: boolean } }[];
  expect(answers.map((answer) => answer.content.approve)).toEqual([false, true, false, true, false]);
  expect(remote.failures).toEqual([]);
}

test("all questions come while one process listens", async () => {
  await answerFive(async () => {});
});

test("all questions come where the session was not listened to any more as the answer came", async () => {
  listens.ms = 100;
  await answerFive(() => new Promise((resolve) => setTimeout(resolve, 400)));
  listens.ms = 75_000;
});

test("all questions come where another process goes on with the task", async () => {
  await answerFive(async () => {
    await engine.stop();
    engine = await fixture.startEngine();
  });
});
