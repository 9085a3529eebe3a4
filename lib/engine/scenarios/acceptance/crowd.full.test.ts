/** Acceptance scenario 8: many tasks of one server at once. */
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { until } from "../../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../../test/fixtures/queries.ts";
import { tool } from "../../../../test/fixtures/tool.ts";
import { startTestServer } from "../../../../test/servers/mcp-server.ts";
import { startSessionServer } from "../../../../test/servers/session-server.ts";
import type { Engine } from "../../engine.ts";

const CROWD = 200;
const PATIENCE_MS = 180_000;
const approve = { action: "accept" as const, content: { approve: true } };
const fixture = organizationForFile(["127.0.0.1"]);
let engine: Engine;
const { inState } = createQueries(() => fixture, PATIENCE_MS);

beforeAll(async () => {
  engine = await fixture.startEngine();
});

type Server = { serverId: string; connectionId: string };

async function startCrowd(server: Server, name: string): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < CROWD) ids.push(await fixture.startTask(server, {}, tool(name)));
  return ids;
}

/** The open requests of these tasks, one each, in an order that is not the tasks'. */
async function requestsOfCrowd(ids: string[]): Promise<string[]> {
  const open = await until(
    "all wait for people",
    async () => {
      const where = { organizationId: fixture.organizationId, taskId: { in: ids }, state: "open" };
      const rows = await fixture.within((tx) => tx.inputRequest.findMany({ where, select: { id: true } }));
      return rows.length === CROWD && rows;
    },
    PATIENCE_MS,
  );
  return open.map(({ id }) => id).sort((a, b) => (a.slice(-6) < b.slice(-6) ? -1 : 1));
}

const left = (ids: string[]) =>
  fixture.within((tx) =>
    tx.task.count({
      where: { organizationId: fixture.organizationId, id: { in: ids }, state: { not: "completed" } },
    }),
  );
const deliveries = (ids: string[]) =>
  fixture.within((tx) =>
    tx.delivery.groupBy({
      by: ["state", "attempts"],
      where: { organizationId: fixture.organizationId, taskId: { in: ids } },
      _count: true,
    }),
  );

test("8: 200 tasks of 2026-07-28 wait at once: answered in any order, each once, and a start overtakes them", async () => {
  const remote = await startTestServer();
  onTestFinished(() => remote.close());
  const server = await fixture.addServer(remote.url, "2026-07-28");
  const ids = await startCrowd(server, "approve");
  const requests = await requestsOfCrowd(ids);
  let toldBefore = CROWD;
  remote.behave.onCall = () => {
    toldBefore = remote.answers.length;
    return "answer";
  };
  remote.behave.onUpdate = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    return "take" as const;
  };
  // All polls are due at once, and the start is queued last.
  await engine.stop();
  for (const id of requests) await fixture.answer(id, approve);
  const started = await fixture.startTask(server, {}, tool("wait"));
  engine = await fixture.startEngine();
  await inState(started, "working");
  expect(toldBefore).toBeLessThan(CROWD - 50);
  await until("all are completed", async () => (await left(ids)) === 0, PATIENCE_MS);
  expect(new Set(remote.answers.map(({ taskId }) => taskId)).size).toBe(CROWD);
  expect(await deliveries(ids)).toMatchObject([{ state: "confirmed" }]);
}, 400_000);

test("8: 200 tasks of 2025-11-25, each asked on its own session, get each its own answer", async () => {
  const remote = await startSessionServer();
  onTestFinished(() => remote.close());
  const server = await fixture.addServer(remote.url, "2025-11-25");
  const ids = await startCrowd(server, "work");
  await until("all work", async () => remote.tasks.length === CROWD, PATIENCE_MS);
  for (const there of remote.tasks)
    await until("somebody listens", async () => remote.ask(there, `Pay ${there.taskId}?`) !== null);
  const requests = await requestsOfCrowd(ids);
  remote.behave.answer = (there) => Object.assign(there, { status: "completed" });
  const started = fixture.startTask(server, {}, tool("work"));
  for (const id of requests) await fixture.answer(id, approve);
  await inState(await started, "working");
  await until("all are completed", async () => (await left(ids)) === 0, PATIENCE_MS);
  expect(new Set(remote.answered.map(({ session }) => session)).size).toBe(CROWD);
  expect(remote.answered).toHaveLength(CROWD);
  expect(await deliveries(ids)).toMatchObject([{ state: "confirmed", attempts: 1, _count: CROWD }]);
}, 400_000);
