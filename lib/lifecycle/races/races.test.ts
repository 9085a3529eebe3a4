/** Races on real servers with a real engine, judged by the remaining rows. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { createNetwork } from "../../base/network/network.ts";
import { endTask } from "../end-task.ts";
import { requestCancel } from "../task-writes.ts";
import { settleRace } from "./settle-races.ts";
import { type RaceStart, startRace } from "./start-race.ts";

const PATIENCE_MS = 180_000;
let fixture: OrganizationFixture;
let remotes: TestServer[];
let servers: string[];

beforeAll(async () => {
  remotes = await Promise.all([startTestServer(), startTestServer(), startTestServer()]);
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  servers = [];
  for (const { url } of remotes) servers.push((await fixture.addServer(url, "2026-07-28")).serverId);
  await fixture.startEngine();
});
beforeEach(() => {
  for (const remote of remotes) {
    remote.tasks.clear();
    remote.behave.cancelled = undefined;
  }
});
afterAll(async () => {
  await fixture?.close();
  await Promise.all((remotes ?? []).map((remote) => remote.close()));
});

const { task, inState, openRequest, request } = createQueries(() => fixture, PATIENCE_MS);
const result = (text: string, isError = false) => ({ content: [{ type: "text", text }], isError });

/** Has the newest task of a server end, at its next poll. */
function finish(index: number, outcome: ReturnType<typeof result>): void {
  const remote = [...remotes[index]!.tasks.values()].at(-1)!;
  Object.assign(remote, { status: "completed", result: outcome, lastUpdatedAt: new Date().toISOString() });
  delete remote.inputRequests;
}

async function race(tools: string[], more: Partial<RaceStart> = {}) {
  const services = {
    db: fixture.database,
    seal: fixture.seal,
    network: createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] }),
  };
  const starts = tools.map((tool, at) => ({ serverId: servers[at]!, tool, arguments: { note: "x" } }));
  const started = await startRace(services, fixture.operator, {
    starts,
    ttlMs: null,
    idempotencyKey: null,
    ...more,
  });
  return {
    ...started,
    id: started.race.id,
    tasks: started.race.tasks.map(({ id }) => id) as [string, string],
  };
}

const rowOf = (id: string) =>
  fixture.within((tx) => tx.race.findFirstOrThrow({ where: { organizationId: fixture.organizationId, id } }));
const settled = (id: string) =>
  until("the race is settled", async () => (await rowOf(id)).settledAt !== null, PATIENCE_MS);
const decisions = (id: string) =>
  fixture.within((tx) =>
    tx.event.findMany({
      where: {
        organizationId: fixture.organizationId,
        type: { in: ["race.won", "race.failed"] },
        data: { path: ["raceId"], equals: id },
      },
    }),
  );

test("the first success wins, and the others are cancelled by Intray, with what they ask of people", async () => {
  const { id, tasks } = await race(["wait", "approve", "wait"]);
  const [winner, asking, working] = tasks as string[] as [string, string, string];
  const { id: requestId } = await openRequest(asking);
  for (const each of [winner, working]) await inState(each, "working");
  finish(0, result("PAID"));

  expect(await inState(winner, "completed")).toMatchObject({ outcome: "PAID" });
  for (const loser of [asking, working])
    expect(await inState(loser, "cancelled")).toMatchObject({
      cancelRequestedBy: { kind: "engine", name: "Intray" },
    });
  expect((await request(requestId)).state).toBe("withdrawn");
  expect(remotes[1]!.answers).toEqual([]);
  expect(await rowOf(id)).toMatchObject({ state: "won", winnerTaskId: winner });
  expect(await decisions(id)).toHaveLength(1);
});

test("of two that complete at once one wins, and the other stays as the server had it", async () => {
  for (const _ of [1, 2]) {
    const { id, tasks } = await race(["wait", "wait"]);
    for (const each of tasks) await inState(each, "working");
    // Both ends are written at once, as two engines would: each has its task before either ends.
    const locked = tasks.map(() => Promise.withResolvers<void>());
    const ended = await Promise.all(
      tasks.map((taskId, at) =>
        fixture.within(async (tx) => {
          await tx.$queryRaw`SELECT FROM task WHERE id = ${taskId}::uuid FOR NO KEY UPDATE`;
          locked[at]!.resolve();
          await Promise.all(locked.map(({ promise }) => promise));
          return endTask(tx, taskId, { state: "completed", result: result("PAID") });
        }),
      ),
    );
    expect(ended).toEqual([true, true]);
    const { state, winnerTaskId } = await rowOf(id);
    expect(state).toBe("won");
    expect(tasks).toContain(winnerTaskId);
    await settled(id);
    const rows = await Promise.all(tasks.map((taskId) => task(taskId)));
    expect(rows.map((row) => [row.state, row.cancelRequestedAt])).toEqual([
      ["completed", null],
      ["completed", null],
    ]);
    expect(await decisions(id)).toHaveLength(1);
  }
});

test("what completes with an error does not win; the race goes on to the first success, and stays with it", async () => {
  const { id, tasks } = await race(["wait", "wait"]);
  for (const each of tasks) await inState(each, "working");
  finish(0, result("Insufficient funds", true));
  await inState(tasks[0], "completed");
  expect(await rowOf(id)).toMatchObject({ state: "running", winnerTaskId: null });
  expect((await task(tasks[1])).cancelRequestedAt).toBeNull();

  finish(1, result("PAID"));
  await inState(tasks[1], "completed");
  await settled(id);
  // Whatever the servers make of it later: a task that has ended has ended, and so has its race.
  finish(1, result("Taken back", true));
  const late = { state: "failed" as const, error: { code: "server_error", message: "Late" } };
  expect(await fixture.within((tx) => endTask(tx, tasks[1], late))).toBe(false);
  expect(await rowOf(id)).toMatchObject({ state: "won", winnerTaskId: tasks[1] });
  expect(await task(tasks[1])).toMatchObject({ state: "completed", outcome: "PAID" });
});

test("a server that ignores the cancel goes on: here it is cancelled, with the server's word beside it", async () => {
  remotes[1]!.behave.cancelled = "never";
  const { tasks } = await race(["wait", "wait"]);
  for (const each of tasks) await inState(each, "working");
  finish(0, result("PAID"));
  await until("the server was told", async () => (await task(tasks[1])).cancelSentAt !== null, PATIENCE_MS);
  // Its time to follow is over.
  await fixture.within(
    (tx) =>
      tx.$executeRaw`UPDATE task SET cancel_sent_at = cancel_sent_at - interval '1 minute' WHERE id = ${tasks[1]}::uuid`,
  );
  const loser = await inState(tasks[1], "cancelled");
  expect(loser).toMatchObject({ serverState: "working", watched: true });
  // Should it come to something all the same, that is noted and wins nothing.
  finish(1, result("PAID"));
  await until("it is noted", async () => (await task(tasks[1])).serverState === "completed", PATIENCE_MS);
  expect((await task(tasks[1])).state).toBe("cancelled");
});

test("when none succeeds the race has failed: by failures, errors and cancels, the last two at once", async () => {
  const { id, tasks } = await race(["refuse", "wait", "wait"]);
  const [failed, ...others] = tasks as string[] as [string, string, string];
  await inState(failed, "failed");
  for (const each of others) await inState(each, "working");
  expect((await rowOf(id)).state).toBe("running");
  const ends = [{ state: "lost" as const }, { state: "completed" as const, result: result("No", true) }];
  await Promise.all(others.map((taskId, at) => fixture.within((tx) => endTask(tx, taskId, ends[at]!))));
  expect(await rowOf(id)).toMatchObject({ state: "failed", winnerTaskId: null });
  expect(await decisions(id)).toHaveLength(1);
});

test("one that is still queued is cancelled at once, and a person may cancel one of them without ending the race", async () => {
  await remotes[1]!.goDown();
  try {
    const { id, tasks } = await race(["wait", "wait", "wait"]);
    const [winner, queued, given] = tasks as string[] as [string, string, string];
    for (const each of [winner, given]) await inState(each, "working");
    await fixture.within((tx) => requestCancel(tx, fixture.operator, given));
    await inState(given, "cancelled");
    expect((await rowOf(id)).state).toBe("running");
    finish(0, result("PAID"));
    await inState(queued, "cancelled");
    expect(remotes[1]!.tasks.size).toBe(0);
    // Two engines settle the race anew at once: no event is written twice.
    await settled(id);
    const countEvents = () =>
      fixture.within((tx) =>
        tx.event.count({
          where: { organizationId: fixture.organizationId, data: { path: ["raceId"], equals: id } },
        }),
      );
    const before = await countEvents();
    await fixture.within((tx) =>
      tx.race.updateMany({
        where: { organizationId: fixture.organizationId, id },
        data: { settledAt: null },
      }),
    );
    await Promise.all([1, 2].map(() => settleRace(fixture.organizationId, fixture.database)));
    expect(await countEvents()).toBe(before);
  } finally {
    await remotes[1]!.comeBack();
  }
});

test("one key makes one race, however often and at once it is sent; another body with it is refused", async () => {
  const key = { idempotencyKey: "race-1" };
  const [one, two] = await Promise.all([race(["wait", "wait"], key), race(["wait", "wait"], key)]);
  expect(one.id).toBe(two.id);
  expect([one.created, two.created].sort()).toEqual([false, true]);
  const rows = await fixture.within((tx) =>
    tx.task.count({ where: { organizationId: fixture.organizationId, raceId: one.id } }),
  );
  expect(rows).toBe(2);
  await expect(race(["wait", "quick"], key)).rejects.toMatchObject({ code: "idempotency_mismatch" });
});
