/** How long a server says that it keeps a task, what people are told of it, and what becomes of it. */
import { beforeAll, expect, test } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";

const remote = forFile(startTestServer);
const fixture = organizationForFile(["127.0.0.1"]);
let server: { serverId: string; connectionId: string };
const queries = createQueries(() => fixture);

beforeAll(async () => {
  server = await fixture.addServer(remote.url, "2026-07-28");
  await fixture.startEngine();
});

const traits = async () =>
  (
    await fixture.within((tx) =>
      tx.server.findFirstOrThrow({ where: { organizationId: fixture.organizationId, id: server.serverId } }),
    )
  ).traits;

/** Starts a task with a ttl of 15 minutes, whose every poll reports another ttl. */
async function asked(ttlMs: number) {
  remote.tasks.clear();
  remote.behave.onCall = (made) => {
    made.ttlMs = 900_000;
    return "answer";
  };
  remote.behave.onGet = (shown) => {
    shown.ttlMs = ttlMs;
  };
  const id = await fixture.startTask(server, {}, tool("approve"));
  return { id, request: await queries.openRequest(id) };
}

test("a poll with a shorter ttl than the start: the limit counts from the task's creation, for its question as well", async () => {
  const { id, request } = await asked(600_000);
  const task = await until("the new time is known", async () => {
    const row = await queries.task(id);
    return row.ttlMs === 600_000n && row;
  });
  expect(task.expiresAt?.getTime()).toBe((task.startedAt?.getTime() ?? 0) + 600_000);
  expect((await queries.request(request.id)).expiresAt).toEqual(task.expiresAt);
});

test.each(["2001-01-01T00:00:00Z", "2099-01-01T00:00:00Z", "-271821-04-20T00:00:00.000Z", "yesterday"])(
  "a server that dates a task %s: its time counts from between the call and its reply",
  async (createdAt) => {
    remote.tasks.clear();
    remote.behave.onGet = undefined;
    remote.behave.onCall = (made) => {
      Object.assign(made, { createdAt, ttlMs: 600_000 });
      return "answer";
    };
    const id = await fixture.startTask(server, {}, tool("approve"));
    const request = await queries.openRequest(id);
    const { startedAt, attemptAt, expiresAt } = await queries.task(id);
    expect(startedAt!.getTime()).toBeGreaterThanOrEqual(attemptAt!.getTime());
    expect(startedAt!.getTime()).toBeLessThanOrEqual(request.createdAt.getTime());
    expect(expiresAt!.getTime()).toBe(startedAt!.getTime() + 600_000);
    await fixture.answer(request.id, { action: "accept", content: { approve: true } });
  },
);

test("a ttl that passes without effect is dropped, for this task and for the server's next ones", async () => {
  const { id, request } = await asked(1_000);
  await until("the limit is given up", async () => (await queries.task(id)).expiresAt === null);
  expect((await queries.request(request.id)).expiresAt).toBeNull();
  expect((await queries.task(id)).state).toBe("input_required");
  expect(await traits()).toMatchObject({ outlivesTtl: true });
  await fixture.answer(request.id, { action: "accept", content: { approve: true } });

  const next = await asked(600_000);
  await until("what it says is known", async () => (await queries.task(next.id)).ttlMs === 600_000n);
  expect((await queries.task(next.id)).expiresAt).toBeNull();
  expect((await queries.request(next.request.id)).expiresAt).toBeNull();
});

test("a task that is gone when its time is over has expired, whatever was learned, and the server's word counts again", async () => {
  const { id } = await asked(3_000);
  await until("what it says is known", async () => (await queries.task(id)).ttlMs === 3_000n);
  const row = await queries.task(id);
  await until("its time is over", async () => Date.now() > (row.startedAt?.getTime() ?? 0) + 3_000);
  remote.tasks.clear();
  await queries.inState(id, "expired");
  await until("its word counts", async () => !("outlivesTtl" in ((await traits()) as object)));
});
