/** The database is away for longer than a lease lives without heartbeats: what servers said meanwhile is not lost. */
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { type SessionServer, startSessionServer } from "../../../test/servers/session-server.ts";
import { type KillablePostgres, startKillablePostgres } from "../../../test/setup/killable-postgres.ts";
import type { Engine } from "../engine.ts";

/** Leases of this file's queue live this long without a heartbeat: pg-boss takes no less than 10 s by its API. */
const LEASE_SECONDS = 3;
const OUTAGE_MS = (LEASE_SECONDS + 2) * 1_000;

vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  HEARTBEAT_MS: 2_000,
  FRESH_HEARTBEAT_MS: 2_500,
  BEATS_AFTER_OUTAGE_MS: 3_000,
}));

let postgres: KillablePostgres;
let fixture: OrganizationFixture;
let engine: Engine;
let remote: TestServer;
let sessions: SessionServer;
let modern: { serverId: string; connectionId: string };
let legacy: { serverId: string; connectionId: string };
const queries = createQueries(() => fixture);

beforeAll(async () => {
  postgres = await startKillablePostgres();
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  await admin("UPDATE pgboss.queue SET heartbeat_seconds = $1", [LEASE_SECONDS]);
});
beforeEach(async () => {
  remote = await startTestServer();
  sessions = await startSessionServer();
  modern = await fixture.addServer(remote.url, "2026-07-28");
  legacy = await fixture.addServer(sessions.url, "2025-11-25");
  engine = await fixture.startEngine();
});
afterEach(async () => {
  await engine.stop();
  await remote.close();
  await sessions.close();
});
afterAll(async () => {
  await fixture?.close();
  await postgres?.remove();
});

const approve = { action: "accept" as const, content: { approve: true } };
const PLAIN = tool("work", { taskSupport: "forbidden" });

async function admin(sql: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: fixture.adminUrl });
  await client.connect();
  try {
    return await client.query(sql, values);
  } finally {
    await client.end();
  }
}

/** Restarts the database after every lease has expired. */
async function comeBackLate() {
  await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
  await postgres.start();
  await until("the database is back", () => queries.events().catch(() => null));
}

test("a task whose handle came while the database was away goes on; its tool is not called again", async () => {
  const away = Promise.withResolvers<void>();
  remote.behave.onCall = async () => {
    await postgres.kill();
    away.resolve();
    return "answer" as const;
  };
  const id = await fixture.startTask(modern, {}, tool("wait"));
  await away.promise;
  await comeBackLate();
  await queries.inState(id, "working");
  expect(remote.calls).toHaveLength(1);
  expect((await queries.task(id)).durable).toBe(true);
});

test("an open call survives while the database is away, and its result is stored afterwards", async () => {
  const held = await fixture.startTask(legacy, {}, PLAIN);
  const goesOn = await fixture.startTask(legacy, {}, PLAIN);
  await queries.inState(held, "working");
  await queries.inState(goesOn, "working");
  const epoch = await queries.epoch(legacy.connectionId);
  // A second engine would take over the lease.
  const other = await fixture.startEngine();
  await postgres.kill();
  for (const call of sessions.calls) if (call.id === sessions.calls[0]?.id) call.finish("first");
  await comeBackLate();
  sessions.calls[1]?.finish("second");
  const ends = [await queries.inState(held, "completed"), await queries.inState(goesOn, "completed")];
  expect(ends.map(({ outcome }) => outcome).sort()).toEqual(["first", "second"]);
  expect(sessions.calls).toHaveLength(2);
  expect(await queries.epoch(legacy.connectionId)).toBe(epoch);
  await other.stop();
});

test("an answer that the server took while the database was away is accepted, and not sent again", async () => {
  const away = Promise.withResolvers<void>();
  remote.behave.onUpdate = async () => {
    remote.behave.onUpdate = () => "ignore";
    await postgres.kill();
    away.resolve();
    return "ignore" as const;
  };
  const id = await fixture.startTask(modern, {}, tool("approve"));
  await fixture.answer((await queries.openRequest(id)).id, approve);
  await away.promise;
  await comeBackLate();
  const flagged = await until("the delivery is flagged", async () => {
    const delivery = await queries.deliveryOfTask(id);
    return delivery.flagged && delivery;
  });
  expect(flagged).toMatchObject({ state: "accepted", attempts: 1 });
  expect(remote.answers).toHaveLength(1);
});

test("an expired lease that no other engine took is recovered: open calls stay open", async () => {
  const id = await fixture.startTask(legacy, {}, PLAIN);
  await queries.inState(id, "working");
  const epoch = await queries.epoch(legacy.connectionId);
  for (let times = 0; times < 3; times++) {
    const { rowCount } = await admin(
      "UPDATE pgboss.job SET heartbeat_on = now() - interval '1 hour' WHERE singleton_key = $1 AND state = 'active'",
      [legacy.connectionId],
    );
    expect(rowCount).toBe(1);
    await until("it is held again", async () => {
      const { rows } = await admin(
        "SELECT 1 FROM pgboss.job WHERE singleton_key = $1 AND state = 'active' AND heartbeat_on > now() - interval '1 minute'",
        [legacy.connectionId],
      );
      return rows.length === 1;
    });
  }
  sessions.calls[0]?.finish("done");
  await queries.inState(id, "completed");
  expect(sessions.calls).toHaveLength(1);
  expect(await queries.epoch(legacy.connectionId)).toBe(epoch);
});

test("a handle that comes when another engine has the lease, and took the start for unknown, is stored all the same", async () => {
  await engine.stop();
  await admin("UPDATE pgboss.queue SET heartbeat_seconds = 10");
  const first = await startEngineProcess(fixture.engineEnvironment);
  try {
    const called = Promise.withResolvers<void>();
    remote.behave.onCall = () => {
      first.freeze();
      called.resolve();
      return "answer";
    };
    const id = await fixture.startTask(modern, {}, tool("wait"));
    await called.promise;
    remote.behave.onCall = undefined;
    engine = await fixture.startEngine();
    await queries.inState(id, "start_unknown");
    first.thaw();
    await queries.inState(id, "working");
    expect(remote.calls).toHaveLength(1);
    // From here on the engine with the lease watches the task.
    for (const there of remote.tasks.values()) Object.assign(there, { statusMessage: "Nearly there" });
    await until("it is polled", async () => (await queries.task(id)).statusMessage === "Nearly there");
  } finally {
    await first.kill();
  }
});

/** Freezes the engine that has the call, until another one has its connection and has said that it waits. */
async function takenOver(first: { freeze(): void }, id: string) {
  first.freeze();
  engine = await fixture.startEngine();
  await until("people are told of the wait", async () => {
    const { state, error } = await queries.task(id);
    if (state === "lost") throw new Error("the call was given up");
    return (error as { code?: string } | null)?.code === "result_awaited";
  });
}

test("a call that lasts outlives its engine's pause: the result that comes to it when another has the lease is stored", async () => {
  await engine.stop();
  await admin("UPDATE pgboss.queue SET heartbeat_seconds = 10");
  const first = await startEngineProcess(fixture.engineEnvironment);
  try {
    const id = await fixture.startTask(legacy, {}, PLAIN);
    await queries.inState(id, "working");
    await takenOver(first, id);
    first.thaw();
    sessions.calls[0]?.finish("done");
    expect(await queries.inState(id, "completed")).toMatchObject({ outcome: "done", error: null });
    expect(sessions.calls).toHaveLength(1);
  } finally {
    await first.kill();
  }
});

test("a handle that takes long outlives its engine's pause: the one that has the lease goes on with the task", async () => {
  await engine.stop();
  await admin("UPDATE pgboss.queue SET heartbeat_seconds = 10");
  const first = await startEngineProcess(fixture.engineEnvironment);
  const made = Promise.withResolvers<void>();
  try {
    remote.behave.onCall = async () => {
      await made.promise;
      return "answer" as const;
    };
    const id = await fixture.startTask(modern, {}, tool("wait"));
    await queries.inState(id, "working");
    expect((await queries.task(id)).durable).toBe(false);
    await takenOver(first, id);
    first.thaw();
    made.resolve();
    await until("it has its handle", async () => (await queries.task(id)).durable);
    expect(remote.calls).toHaveLength(1);
    for (const there of remote.tasks.values()) Object.assign(there, { statusMessage: "Nearly there" });
    await until("it is polled", async () => (await queries.task(id)).statusMessage === "Nearly there");
  } finally {
    made.resolve();
    await first.kill();
  }
});

test("no engine gives up a call that its own engine still has open, however long its result takes", async () => {
  await engine.stop();
  await admin("UPDATE pgboss.queue SET heartbeat_seconds = 10");
  const first = await startEngineProcess(fixture.engineEnvironment);
  try {
    const id = await fixture.startTask(legacy, {}, PLAIN);
    await queries.inState(id, "working");
    await takenOver(first, id);
    const due = async () => (await queries.task(id)).attemptDeadlineAt!.getTime();
    const before = await due();
    first.thaw();
    await until("it is said to live, twice", async () => (await due()) > before + 20_000);
    sessions.calls[0]?.finish("done");
    await queries.inState(id, "completed");
  } finally {
    await first.kill();
  }
});
