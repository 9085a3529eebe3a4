/** Every server is paused, as after a restore, or a failover that may have lost the database's last moments. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { uuidv7 } from "../../base/ids.ts";
import { inScope, Spent } from "../../base/process/scope.ts";
import { pauseEveryServer, pauseServer, resumeServer } from "../../servers/pause.ts";

let fixture: OrganizationFixture;
let remote: TestServer;
let server: { serverId: string; connectionId: string };

beforeAll(async () => {
  fixture = await createOrganizationFixture(["127.0.0.1"]);
});
beforeEach(async () => {
  remote = await startTestServer();
  server = await fixture.addServer(remote.url, "2026-07-28");
  return () => remote.close();
});
afterAll(() => fixture?.close());

const { inState, task } = createQueries(() => fixture);
const FAILOVER = { kind: "system" as const, id: null, name: "Failover" };
const pauseAll = (reason = "Look first.") =>
  pauseEveryServer(fixture.database, fixture.organizationId, FAILOVER, reason);
const pauseOf = async (serverId: string) =>
  (
    await fixture.sql("SELECT pause_reason AS reason, paused_by ->> 'name' AS by FROM server WHERE id = $1", [
      serverId,
    ])
  )[0];
const eventsOf = async (serverId: string) =>
  (
    await fixture.sql(
      "SELECT count(*)::integer AS events FROM event WHERE type = 'server.paused' AND data ->> 'serverId' = $1",
      [serverId],
    )
  )[0].events;

test("an engine that saw a resume which the database has lost sends nothing either", async () => {
  await fixture.startEngine();
  await inState(await fixture.startTask(server, {}, tool("quick")), "completed");
  await fixture.within((tx) => pauseServer(tx, fixture.operator, server.serverId, "Maintenance"));
  const [before] = await fixture.sql(
    "SELECT paused_at, paused_by, pause_reason, pauses FROM server WHERE id = $1",
    [server.serverId],
  );
  await fixture.within((tx) => resumeServer(tx, fixture.operator, server.serverId));
  await inState(await fixture.startTask(server, {}, tool("quick")), "completed");
  await fixture.sql(
    "UPDATE server SET paused_at = $2, paused_by = $3, pause_reason = $4, pauses = $5 WHERE id = $1",
    [server.serverId, before.paused_at, before.paused_by, before.pause_reason, before.pauses],
  );
  await pauseAll();

  const waiting = await fixture.startTask(server, {}, tool("quick"));
  // The engine has had time to act here, too.
  const other = await startTestServer();
  const elsewhere = await fixture.addServer(other.url, "2026-07-28");
  for (let times = 0; times < 2; times++)
    await inState(await fixture.startTask(elsewhere, {}, tool("quick")), "completed");
  await other.close();
  expect(await task(waiting)).toMatchObject({ state: "queued", error: null });
  expect(remote.calls).toHaveLength(2);
  await fixture.within((tx) => resumeServer(tx, fixture.operator, server.serverId));
  await inState(waiting, "completed");
});

test("a server that somebody had paused says why nothing is sent now, once", async () => {
  await fixture.within((tx) => pauseServer(tx, fixture.operator, server.serverId, "Maintenance"));
  const events = await eventsOf(server.serverId);
  for (let time = 1; time <= 2; time++) {
    await pauseAll("The database was restored.");
    expect(await pauseOf(server.serverId)).toEqual({ reason: "The database was restored.", by: "Failover" });
    expect(await eventsOf(server.serverId)).toBe(events + 1);
  }
});

test("each server is paused for itself: one whose row is locked holds up those after it, and undoes none before it", async () => {
  const last = await fixture.addServer(remote.url, "2026-07-28");
  await withClient(fixture.adminUrl, async (client) => {
    await client.query("BEGIN");
    await client.query("SELECT FROM server WHERE id = $1 FOR UPDATE", [last.serverId]);
    const all = pauseAll();
    await until("the first is paused", async () => (await pauseOf(server.serverId)).by === "Failover");
    expect(await pauseOf(last.serverId)).toEqual({ reason: null, by: null });
    await client.query("ROLLBACK");
    await all;
  });
  expect((await pauseOf(last.serverId)).by).toBe("Failover");
});

test("a pause takes as many statements for a server of many connections as for one of a few", async () => {
  const statements = async () => {
    const spent = new Spent();
    await inScope({ requestId: null, trace: null, spent }, () =>
      fixture.within((tx) => pauseServer(tx, fixture.operator, server.serverId, null)),
    );
    await fixture.within((tx) => resumeServer(tx, fixture.operator, server.serverId));
    return spent.queries;
  };
  const ofOne = await statements();
  for (const { userId } of [fixture.operator, fixture.approver])
    await fixture.within((tx) =>
      tx.connection.create({
        data: { organizationId: fixture.organizationId, id: uuidv7(), serverId: server.serverId, userId },
      }),
    );
  expect(await statements()).toBe(ofOne);
});
