/** An installation where nothing happens: hardly a statement, and yet nothing is lost, late for long, or done twice. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createNotificationsFixture,
  type NotificationsFixture,
} from "../../../test/fixtures/notifications-fixture.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { publishChange } from "../../base/live-updates.ts";

const PATIENCE_MS = 180_000;
/** Long enough for a turn of everything that runs every ten seconds. */
const WINDOW_MS = 12_000;

let fixture: NotificationsFixture;
let remote: TestServer;
const { openRequest, inState, deliveryOf } = createQueries(() => fixture, PATIENCE_MS);
const approve = { action: "accept" as const, content: { approve: true } };

beforeEach(async () => {
  remote = await startTestServer();
  fixture = await createNotificationsFixture(["127.0.0.1"]);
});
afterEach(async () => {
  await fixture?.close();
  await remote?.close();
});

/** Transactions of everybody in this database so far. Backends report theirs within a second. */
async function transactions(): Promise<number> {
  const [row] = await fixture.sql(
    "SELECT (xact_commit + xact_rollback)::integer AS count FROM pg_stat_database WHERE datname = current_database()",
  );
  return Number(row?.count);
}

/** Waits until the database has at most `most` transactions within a window. */
const comesToRest = (most: number) =>
  until(
    `at most ${most} transactions in ${WINDOW_MS} ms`,
    async () => {
      const before = await transactions();
      await sleep(WINDOW_MS);
      return (await transactions()) - before <= most;
    },
    PATIENCE_MS,
  );

const follows = (follower: string) =>
  until(
    `${follower} has read the history`,
    async () => {
      const rows = await fixture.sql(
        `SELECT FROM event_head h JOIN event_follower f ON f.organization_id = h.organization_id
         WHERE f.follower = $1 AND f.seq = h.seq`,
        [follower],
      );
      return rows.length === 1;
    },
    PATIENCE_MS,
  );

async function heard(): Promise<{ payloads: string[]; end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: fixture.adminUrl });
  const payloads: string[] = [];
  client.on("notification", ({ payload }) => payloads.push(payload ?? ""));
  await client.connect();
  await client.query("LISTEN intray_change");
  return { payloads, end: () => client.end() };
}

test("an engine whose only task waits for a person makes less than three transactions a second", async () => {
  const server = await fixture.addServer(remote.url, "2026-07-28");
  await fixture.startEngine();
  const id = await fixture.startTask(server, {}, tool("approve"));
  const request = await openRequest(id);
  await comesToRest((3 * WINDOW_MS) / 1_000);
  await fixture.answer(request.id, approve);
  await inState(id, "completed");
  expect(remote.answers).toHaveLength(1);
});

test("where every notice of a write is lost, history is followed and hints are sent all the same", async () => {
  await fixture.startEngine();
  await follows("webhooks");
  for (const table of ["event", "change"])
    await fixture.sql(`ALTER TABLE ${table} DISABLE TRIGGER wake_engines`);
  await comesToRest((3 * WINDOW_MS) / 1_000);
  const listener = await heard();
  const taskId = fixture.organizationId;
  await fixture.happened({ type: "server.created" });
  await fixture.within((tx) => publishChange(tx, "task", [taskId]));
  for (const follower of ["notices", "webhooks", "statistics", "metrics"]) await follows(follower);
  await until(
    "the hint came",
    async () => listener.payloads.some((text) => text.includes(taskId)),
    PATIENCE_MS,
  );
  expect(listener.payloads.filter((text) => text.includes(taskId))).toHaveLength(1);
  await listener.end();
});

test("a machine that slept longer than a lease lasts catches up at once, with each call and answer made once", async () => {
  const server = await fixture.addServer(remote.url, "2026-07-28");
  const engine = await startEngineProcess(fixture.engineEnvironment);
  try {
    const asking = await fixture.startTask(server, {}, tool("approve"));
    const request = await openRequest(asking);
    const calls = remote.calls.length;
    const epochOf = () =>
      fixture.sql("SELECT epoch::integer FROM connection WHERE id = $1", [server.connectionId]);
    const before = await epochOf();

    engine.freeze();
    await fixture.answer(request.id, approve);
    const started = await fixture.startTask(server, {}, tool("approve"));
    await sleep(WINDOW_MS);
    const asleep = await transactions();
    engine.thaw();

    await inState(asking, "completed");
    await openRequest(started);
    expect(remote.answers).toHaveLength(1);
    expect(remote.calls).toHaveLength(calls + 1);
    expect(await deliveryOf(request.id)).toMatchObject({ state: "confirmed", attempts: 1 });
    // Nobody else had the lease, so nothing was loaded anew.
    expect(await epochOf()).toEqual(before);
    await comesToRest((3 * WINDOW_MS) / 1_000);
    // What the timers missed is done once, not once for each time that was slept through.
    expect((await transactions()) - asleep).toBeLessThan(600);
  } finally {
    await engine.kill();
  }
});
