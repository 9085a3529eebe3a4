/** The database is away for a moment, or a server is slow: leases, answers and starts live through it. */
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { type SessionServer, startSessionServer } from "../../../test/servers/session-server.ts";
import { rewatchConnection } from "../../base/engine-hints.ts";

// Exceeds the tests' patience: whatever happens in time did not wait for a slow poll.
vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  POLL_DEADLINE_MS: 600_000,
}));

const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
let remote: TestServer;
let slow: SessionServer;
let server: { serverId: string; connectionId: string };

beforeEach(async () => {
  ({ remote, slow, server } = await createFixture());
});
afterEach(() => endScene({ remote, slow }));

async function createFixture() {
  const remote = await startTestServer();
  const slow = await startSessionServer();
  return { remote, slow, server: await fixture.addServer(remote.url, "2026-07-28") };
}

async function endScene(fixture: { remote: TestServer; slow: SessionServer }) {
  await fixture.remote.close();
  await fixture.slow.close();
}

const approve = { action: "accept" as const, content: { approve: true } };
const { task, openRequest, deliveryOfTask, request: requestOf, inState } = createQueries(() => fixture);

/** Blocks the test's database for engine and web until the returned function is called. */
async function takeDatabaseAway(): Promise<() => Promise<void>> {
  const url = new URL(fixture.adminUrl);
  const name = url.pathname.slice(1);
  url.pathname = "/postgres";
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`ALTER DATABASE ${name} CONNECTION LIMIT 0`);
  await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name]);
  return async () => {
    await admin.query(`ALTER DATABASE ${name} CONNECTION LIMIT -1`);
    await admin.end();
  };
}

test("the database goes away between the server's 2xx and its record: accepted all the same, not sent again", async () => {
  remote.behave.onUpdate = async () => {
    const bringBack = await takeDatabaseAway();
    setTimeout(() => void bringBack(), 1_000);
    remote.behave.onUpdate = () => "ignore";
    return "ignore" as const;
  };
  const id = await fixture.startTask(server, {}, tool("approve"));
  await fixture.answer((await openRequest(id)).id, approve);
  await until("the server was told", async () => remote.answers.length > 0);
  const flagged = await until("the delivery is flagged", async () => {
    const delivery = await deliveryOfTask(id).catch(() => null);
    return delivery?.flagged && delivery;
  });
  expect(flagged).toMatchObject({ state: "accepted", attempts: 1 });
  expect(remote.answers).toHaveLength(1);
});

test("a question that comes while the database is away for so long that leases expire: it is open when that is back", {
  tags: ["full"],
}, async () => {
  const asking = await fixture.addServer(slow.url, "2025-11-25");
  const id = await fixture.startTask(asking, {}, tool("work", { taskSupport: "required" }));
  await inState(id, "working");
  const [there] = slow.tasks;
  const bringBack = await takeDatabaseAway();
  expect(slow.ask(there!, "While it was away?")).not.toBeNull();
  await new Promise((resolve) => setTimeout(resolve, 16_000));
  await bringBack();
  const request = await openRequest(id, "While it was away?");
  slow.behave.answer = (one) => Object.assign(one, { status: "completed" });
  await fixture.answer(request.id, approve);
  await inState(id, "completed");
  expect(slow.answered).toHaveLength(1);
});

describe.concurrent("concurrently, because each takes long:", () => {
  test("a server that takes longer than the deadline to accept an answer gets it once", {
    tags: ["full"],
  }, async ({ expect, onTestFinished }) => {
    const { remote, slow, server } = await createFixture();
    onTestFinished(() => endScene({ remote, slow }));
    remote.behave.onUpdate = async () => {
      await new Promise((resolve) => setTimeout(resolve, 7_000));
      return "take" as const;
    };
    const id = await fixture.startTask(server, {}, tool("approve"));
    await fixture.answer((await openRequest(id)).id, approve);
    await inState(id, "completed");
    expect(remote.answers).toHaveLength(1);
    expect(await deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 1 });
  });

  /** The answer is repeated 10 s after its first try, when the server has surely finished with that one. */
  test("a server that breaks down over an answer gets it again; nobody is asked a second time", {
    tags: ["full"],
  }, async ({ expect, onTestFinished }) => {
    const { remote, slow, server } = await createFixture();
    onTestFinished(() => endScene({ remote, slow }));
    remote.behave.onUpdate = () => {
      remote.behave.onUpdate = undefined;
      return "break";
    };
    const id = await fixture.startTask(server, {}, tool("approve"));
    await fixture.answer((await openRequest(id)).id, approve);
    await inState(id, "completed");
    expect(remote.answers).toHaveLength(2);
    expect(await deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 2 });
  });

  test("a lease with slow steps is released without delaying the heartbeats of the others", {
    tags: ["full"],
  }, async ({ onTestFinished }) => {
    const { remote, slow, server } = await createFixture();
    onTestFinished(() => endScene({ remote, slow }));
    await inState(await fixture.startTask(server, {}, tool("wait")), "working");
    const elsewhere = await fixture.addServer(slow.url, "2025-11-25");
    const held = await fixture.startTask(elsewhere, {}, tool("work"));
    await inState(held, "working");
    const stuck = Promise.withResolvers<void>();
    const freed = Promise.withResolvers<void>();
    slow.behave.get = () => {
      stuck.resolve();
      return freed.promise;
    };
    await stuck.promise;
    await fixture.within((tx) => rewatchConnection(tx, elsewhere.connectionId));
    // So long that a start needs a newer heartbeat.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    const id = await fixture.startTask(server, {}, tool("wait"));
    // If the stuck step delayed heartbeats, this would take as long.
    await inState(id, "working");
    // The released connection is watched again once its step has ended.
    slow.tasks[0]!.status = "completed";
    freed.resolve();
    await inState(held, "completed");
  });
});

test("slow polls delay no start", { tags: ["full"] }, async () => {
  const elsewhere = await fixture.addServer(slow.url, "2025-11-25");
  const ids: string[] = [];
  while (ids.length < 36) ids.push(await fixture.startTask(elsewhere, {}, tool("work")));
  for (const id of ids) await inState(id, "working");
  let waiting = 0;
  const held = Promise.withResolvers<void>();
  slow.behave.get = async () => {
    waiting++;
    await held.promise;
    waiting--;
  };
  try {
    await until("polls take all places", async () => waiting >= 32);
    const id = await fixture.startTask(elsewhere, {}, tool("work"));
    await inState(id, "working");
  } finally {
    held.resolve();
  }
});

test("the engine and a person lock a task and its question in one order", async () => {
  const id = await fixture.startTask(server, {}, tool("approve"));
  const request = await openRequest(id);
  const admin = new pg.Client({ connectionString: fixture.adminUrl });
  await admin.connect();
  try {
    await admin.query("BEGIN");
    await admin.query("SELECT FROM task WHERE id = $1 FOR NO KEY UPDATE", [id]);
    for (const [key, there] of remote.tasks) remote.tasks.set(key, { ...there, status: "working" });
    for (const there of remote.tasks.values()) delete there.inputRequests;
    await until("the engine waits for the task", async () => {
      // Otherwise a transaction sees the sessions as of its first read.
      await admin.query("SELECT pg_stat_clear_snapshot()");
      const waiting = await admin.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return waiting.rowCount;
    });
    // Throws if the engine has locked the question before the task.
    await admin.query("SELECT FROM input_request WHERE id = $1 FOR NO KEY UPDATE NOWAIT", [request.id]);
    await admin.query("COMMIT");
  } finally {
    await admin.end();
  }
  await until("the question is withdrawn", async () => (await requestOf(request.id)).state === "withdrawn");
});

test("a status that could not be stored is stored when the database is back", async () => {
  const id = await fixture.startTask(server, {}, tool("wait"));
  await inState(id, "working");
  const bringBack = await takeDatabaseAway();
  // The same reply before and after: an engine that counted it as seen would never write it.
  for (const [key, there] of remote.tasks)
    remote.tasks.set(key, Object.assign(there, { statusMessage: "Nearly there" }));
  await new Promise((resolve) => setTimeout(resolve, 1_500)); // polls fail to write it
  await bringBack();
  await until("the message is there", async () => {
    const row = await task(id).catch(() => null);
    return row?.statusMessage === "Nearly there";
  });
});
