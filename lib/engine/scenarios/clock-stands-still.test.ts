/** A machine that was suspended: its clocks stood still, and say that the last heartbeat was a moment ago. */
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { lookInto } from "../../../test/fixtures/look.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { createWorld, until, type World } from "../../../test/fixtures/world.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";

const FRESH_MS = 1_500;
vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  FRESH_HEARTBEAT_MS: 1_500,
  HEARTBEAT_MS: 500,
}));

let world: World;
let remote: TestServer;
const look = lookInto(() => world);

beforeAll(async () => {
  remote = await startTestServer();
  world = await createWorld(["127.0.0.1"]);
  await world.startEngine();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await world?.close();
  await remote?.close();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a start and an answer wait for a heartbeat by the database's clock, not by one that stands still", async () => {
  const server = await world.addServer(remote.url, "2026-07-28");
  const asked = await world.startTask(server, {}, tool("approve"));
  const request = await look.openRequest(asked);
  const calls = remote.calls.length;

  // No heartbeat comes back, for somebody has the lease's row, and this machine's clocks do not say so.
  const other = new pg.Client({ connectionString: world.adminUrl });
  await other.connect();
  await other.query("BEGIN");
  await other.query("SELECT FROM pgboss.job WHERE singleton_key = $1 FOR UPDATE", [server.connectionId]);
  const [monotonic, wall] = [performance.now(), Date.now()];
  vi.spyOn(performance, "now").mockReturnValue(monotonic);
  vi.spyOn(Date, "now").mockReturnValue(wall);
  await pause(2 * FRESH_MS);
  const started = await world.startTask(server, {}, tool("wait"));
  await world.answer(request.id, { action: "accept", content: { approve: true } });
  await pause(2 * FRESH_MS);
  expect(remote.calls).toHaveLength(calls);
  expect(remote.told).toEqual([]);
  expect((await look.task(started)).state).toBe("queued");
  expect(await look.deliveryOf(request.id)).toMatchObject({ attempts: 0 });

  vi.restoreAllMocks();
  await other.query("ROLLBACK");
  await other.end();
  await look.inState(started, "working");
  await look.inState(asked, "completed");
  expect(remote.calls).toHaveLength(calls + 1);
  expect(remote.told).toHaveLength(1);
});

test("a wall clock that went on while the other stood still is believed: nothing begins before the next heartbeat", async () => {
  const server = await world.addServer(remote.url, "2026-07-28");
  await look.inState(await world.startTask(server, {}, tool("wait")), "working");
  const other = new pg.Client({ connectionString: world.adminUrl });
  await other.connect();
  await other.query("BEGIN");
  await other.query("SELECT FROM pgboss.job WHERE singleton_key = $1 FOR UPDATE", [server.connectionId]);
  const [monotonic, realNow] = [performance.now(), Date.now];
  vi.spyOn(performance, "now").mockReturnValue(monotonic);
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + 3600_000);
  const calls = remote.calls.length;
  const id = await world.startTask(server, {}, tool("wait"));
  await pause(FRESH_MS / 2);
  expect(remote.calls).toHaveLength(calls);
  vi.restoreAllMocks();
  await other.query("ROLLBACK");
  await other.end();
  await until("it starts", async () => (await look.task(id)).state === "working");
});
