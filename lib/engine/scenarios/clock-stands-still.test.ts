/** A machine that was suspended: its clocks stood still, and say that the last heartbeat was a moment ago. */
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";

const FRESH_MS = 1_500;
vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  FRESH_HEARTBEAT_MS: 1_500,
  HEARTBEAT_MS: 500,
}));

const remote = forFile(startTestServer);
const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
const queries = createQueries(() => fixture);

afterEach(() => {
  vi.restoreAllMocks();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a start and an answer wait for a heartbeat by the database's clock, not by one that stands still", async () => {
  const server = await fixture.addServer(remote.url, "2026-07-28");
  const asked = await fixture.startTask(server, {}, tool("approve"));
  const request = await queries.openRequest(asked);
  const calls = remote.calls.length;

  // A lock on the lease's row blocks heartbeats, and this machine's clocks do not show the time that passes.
  const other = new pg.Client({ connectionString: fixture.adminUrl });
  await other.connect();
  await other.query("BEGIN");
  await other.query("SELECT FROM pgboss.job WHERE singleton_key = $1 FOR UPDATE", [server.connectionId]);
  const [monotonic, wall] = [performance.now(), Date.now()];
  vi.spyOn(performance, "now").mockReturnValue(monotonic);
  vi.spyOn(Date, "now").mockReturnValue(wall);
  await pause(2 * FRESH_MS);
  const started = await fixture.startTask(server, {}, tool("wait"));
  await fixture.answer(request.id, { action: "accept", content: { approve: true } });
  await pause(2 * FRESH_MS);
  expect(remote.calls).toHaveLength(calls);
  expect(remote.answers).toEqual([]);
  expect((await queries.task(started)).state).toBe("queued");
  expect(await queries.deliveryOf(request.id)).toMatchObject({ attempts: 0 });

  vi.restoreAllMocks();
  await other.query("ROLLBACK");
  await other.end();
  await queries.inState(started, "working");
  await queries.inState(asked, "completed");
  expect(remote.calls).toHaveLength(calls + 1);
  expect(remote.answers).toHaveLength(1);
});

test("after a suspension that only the wall clock shows, nothing begins before the next heartbeat", async () => {
  const server = await fixture.addServer(remote.url, "2026-07-28");
  await queries.inState(await fixture.startTask(server, {}, tool("wait")), "working");
  const other = new pg.Client({ connectionString: fixture.adminUrl });
  await other.connect();
  await other.query("BEGIN");
  await other.query("SELECT FROM pgboss.job WHERE singleton_key = $1 FOR UPDATE", [server.connectionId]);
  const [monotonic, realNow] = [performance.now(), Date.now];
  vi.spyOn(performance, "now").mockReturnValue(monotonic);
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + 3600_000);
  const calls = remote.calls.length;
  const id = await fixture.startTask(server, {}, tool("wait"));
  await pause(FRESH_MS / 2);
  expect(remote.calls).toHaveLength(calls);
  vi.restoreAllMocks();
  await other.query("ROLLBACK");
  await other.end();
  await until("it starts", async () => (await queries.task(id)).state === "working");
});
