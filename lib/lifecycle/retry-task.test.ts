/** Retries of failed tasks, by a real engine on a real server that fails. */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../test/fixtures/queries.ts";
import { tool } from "../../test/fixtures/tool.ts";
import { forFile } from "../../test/for-file.ts";
import { startTestServer } from "../../test/servers/mcp-server.ts";
import type { Principal } from "../access/principal.ts";
import { uuidv7 } from "../base/ids.ts";
import { listAttempts } from "../tasks/task-reads.ts";
import type { Retry } from "../tasks/task-schema.ts";
import { endTask } from "./end-task.ts";
import { queueRetry } from "./retry-task.ts";
import { createTask, requestCancel } from "./task-writes.ts";

const PATIENCE_MS = 180_000;
const remote = forFile(startTestServer);
const fixture = organizationForFile(["127.0.0.1"]);
let server: { serverId: string; connectionId: string };

beforeAll(async () => {
  server = await fixture.addServer(remote.url, "2026-07-28");
  await fixture.startEngine();
});
beforeEach(() => {
  remote.calls.length = 0;
});

const { task, inState } = createQueries(() => fixture, PATIENCE_MS);
const MINUTE_MS = 60_000;
const plan = (more: Partial<Retry> = {}): Retry => ({
  attempts: 3,
  backoffMs: MINUTE_MS,
  errors: false,
  insist: false,
  ...more,
});

async function start(name: string, retry: Retry, principal = fixture.operator): Promise<string> {
  const { id } = await fixture.within((tx) =>
    createTask(tx, {
      principal,
      server: { id: server.serverId },
      connectionId: server.connectionId,
      tool: tool(name),
      arguments: { note: "again" },
      ttlMs: null,
      idempotencyKey: null,
      restartOf: null,
      retry,
    }),
  );
  return id;
}

const attempts = async (id: string) =>
  (await fixture.within((tx) => listAttempts(tx, fixture.operator, id))).items;
const after = (id: string) =>
  until(
    "another attempt",
    async () => (await attempts(id)).find(({ retryOf }) => retryOf === id),
    PATIENCE_MS,
  );
/** Ends a queued attempt's pause and wakes the engine. */
const ripen = (id: string) =>
  fixture.within(async (tx) => {
    await tx.task.updateMany({
      where: { organizationId: fixture.organizationId, id },
      data: { startAfter: new Date() },
    });
    await tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${server.connectionId} ${id}`})`;
  });
const end = (id: string, how: Parameters<typeof endTask>[2]) => fixture.within((tx) => endTask(tx, id, how));

test("a failure is followed by another attempt after a pause that doubles, until there are no more", async () => {
  const first = await start("refuse", plan());
  await inState(first, "failed");
  const second = await after(first);
  expect(second).toMatchObject({
    state: "queued",
    attempt: 2,
    attempts: 3,
    retryOf: first,
    restartOf: first,
    stalled: false,
    requestedBy: { name: "Ola" },
  });
  const pauses = async (failed: string, next: string) =>
    (await task(next)).startAfter!.getTime() - (await task(failed)).finishedAt!.getTime();
  expect(await pauses(first, second.id)).toBe(MINUTE_MS);
  // A wake-up does not shorten the pause, which the database's clock decides.
  await fixture.within(
    (tx) => tx.$executeRaw`SELECT pg_notify('intray_wake', ${`${server.connectionId} ${second.id}`})`,
  );
  await ripen(second.id);
  const retried = await inState(second.id, "failed");
  expect(retried.attemptAt!.getTime()).toBeGreaterThanOrEqual(retried.startAfter!.getTime());
  const third = await after(second.id);
  expect(await pauses(second.id, third.id)).toBe(2 * MINUTE_MS);
  await ripen(third.id);
  await inState(third.id, "failed");
  // Every attempt lists the same attempts.
  for (const id of [first, second.id, third.id])
    expect((await attempts(id)).map((each) => each.id)).toEqual([first, second.id, third.id]);
  expect(remote.calls.map(({ arguments: given }) => given)).toEqual(Array(3).fill({ note: "again" }));
});

test("a failure is tried again once, whoever tries it twice at once, and with its end or not at all", async () => {
  const id = await start("wait", plan());
  await inState(id, "working");
  const failed = { state: "failed" as const, error: { code: "server_error", message: "No" } };
  const died = fixture.within(async (tx) => {
    await endTask(tx, id, failed);
    throw new Error("the engine died");
  });
  await expect(died).rejects.toThrow("the engine died");
  expect(await attempts(id)).toHaveLength(1);
  expect(await Promise.all([end(id, failed), end(id, failed)])).toContain(true);
  await Promise.all([1, 2].map(() => fixture.within((tx) => queueRetry(tx, id))));
  const rows = await fixture.within((tx) =>
    tx.task.count({ where: { organizationId: fixture.organizationId, retryOf: id } }),
  );
  expect(rows).toBe(1);
});

test("one that is cancelled while it waits never starts, and nothing comes after it", async () => {
  const id = await start("refuse", plan());
  const { id: waiting } = await after(id);
  await fixture.within((tx) => requestCancel(tx, fixture.operator, waiting));
  expect(await inState(waiting, "cancelled")).toMatchObject({ attemptId: null });
  await ripen(waiting);
  expect(await attempts(id)).toHaveLength(2);
  expect(remote.calls).toHaveLength(1);
});

test.each([
  { what: "a success", end: { state: "completed", result: { content: [] } }, again: false },
  {
    what: "an error, where errors do not count",
    end: { state: "completed", result: { content: [], isError: true } },
    again: false,
  },
  {
    what: "an error, where errors count",
    end: { state: "completed", result: { content: [], isError: true } },
    errors: true,
    again: true,
  },
  { what: "a task that the server lost", end: { state: "lost" }, again: false },
  { what: "a task whose time ran out", end: { state: "expired" }, again: false },
  { what: "a task that the server cancelled", end: { state: "cancelled" }, again: false },
] as const)("$what is tried again: $again", async ({ end: how, again, ...more }) => {
  const id = await start("wait", plan(more));
  await inState(id, "working");
  expect(await end(id, how)).toBe(true);
  expect(await attempts(id)).toHaveLength(again ? 2 : 1);
});

test("what a key asked for is tried again as long as the key is in force", async () => {
  const { organizationId } = fixture;
  const id = uuidv7();
  const secretHash = Buffer.from(id);
  await fixture.within((tx) =>
    tx.apiKey.create({ data: { organizationId, id, name: "CI", role: "operator", secretHash } }),
  );
  const key: Principal = {
    organizationId,
    userId: null,
    role: "operator",
    actor: { kind: "key", id, name: "CI" },
  };
  const failed = async () => {
    const task = await start("wait", plan(), key);
    await inState(task, "working");
    await end(task, { state: "failed", error: { code: "server_error", message: "No" } });
    return (await attempts(task)).length;
  };
  expect(await failed()).toBe(2);
  await fixture.within((tx) =>
    tx.apiKey.updateMany({ where: { organizationId, id }, data: { revokedAt: new Date() } }),
  );
  expect(await failed()).toBe(1);
});

test("a start that nobody knows the outcome of is never tried again, nor what a removed member asked for", async () => {
  const id = await start("wait", plan());
  await inState(id, "working");
  const where = { organizationId: fixture.organizationId, userId: fixture.operator.userId! };
  await fixture.within((tx) => tx.membership.updateMany({ where, data: { role: "viewer" } }));
  await end(id, { state: "failed", error: { code: "server_error", message: "No" } });
  expect(await attempts(id)).toHaveLength(1);
  await fixture.within((tx) => tx.membership.updateMany({ where, data: { role: "operator" } }));

  remote.behave.onCall = () => "drop";
  const unknown = await start("wait", plan());
  expect(await inState(unknown, "start_unknown")).toMatchObject({ attempts: 3 });
  remote.behave.onCall = undefined;
  expect(await attempts(unknown)).toHaveLength(1);
});
