/** A server is away for long: what waits for people meanwhile, and asks it nothing, says nothing of it. */
import { expect, test, vi } from "vitest";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { forFile } from "../../../test/for-file.ts";
import { startTestServer } from "../../../test/servers/mcp-server.ts";

// Rounds and open calls are looked at often, and backing off takes no minutes.
vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  SLOW_POLL_MS: 200,
  BACKOFF_BASE_MS: 50,
}));

const fixture = organizationForFile(["127.0.0.1"], { withEngine: true });
const remote = forFile(startTestServer);
const queries = createQueries(() => fixture);

const healthChanges = () =>
  fixture.within(async (tx) => {
    const rows = await tx.event.findMany({
      where: { organizationId: fixture.organizationId, type: "server.health_changed" },
      orderBy: { seq: "asc" },
    });
    return rows.map(({ data }) => (data as { to: string }).to);
  });

test("an unreachable server is reported once, and contacted ever more rarely, also while a round of questions waits", async () => {
  const server = await fixture.addServer(remote.url, "2026-07-28");
  const round = await fixture.startTask(server, {}, tool("order"));
  const polled = await fixture.startTask(server, {}, tool("wait"));
  await queries.openRequest(round);
  await queries.inState(polled, "working");
  await remote.goDown();
  const failures = () =>
    fixture.within(async (tx) => {
      const where = { organizationId: fixture.organizationId, id: server.connectionId };
      return (await tx.connection.findFirstOrThrow({ where })).circuitFailures;
    });
  await until("it has failed seven times in a row", async () => (await failures()) >= 7);
  expect(await healthChanges()).toEqual(["unreachable"]);
  await remote.comeBack();
  for (const there of remote.tasks.values()) Object.assign(there, { statusMessage: "Nearly there" });
  await until("it is polled", async () => (await queries.task(polled)).statusMessage === "Nearly there");
  await until("it is well", async () => (await queries.health(server.serverId)) === "ok");
  expect(await healthChanges()).toEqual(["unreachable", "ok"]);
  expect(await failures()).toBe(0);
});
