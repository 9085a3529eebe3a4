/** Engines that come and go: each has its share of the connections, and nothing is lost or done twice on the way. */
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import type { Engine } from "../engine.ts";

const CONNECTIONS = 8;
const approve = { action: "accept" as const, content: { approve: true } };

let fixture: OrganizationFixture;
let remote: TestServer;
let servers: { serverId: string; connectionId: string }[];
const queries = createQueries(() => fixture);

beforeEach(async () => {
  remote = await startTestServer();
  fixture = await createOrganizationFixture([remote.hostAndPort]);
  servers = [];
  while (servers.length < CONNECTIONS) servers.push(await fixture.addServer(remote.url, "2026-07-28"));
});
afterEach(async () => {
  await fixture?.close();
  await remote?.close();
});

const holds = (engine: Engine, leases: number) =>
  until(`it holds ${leases} leases`, async () => engine.leases === leases);

test("engines share the connections: a second one gets half, and when one stops the other has all", async () => {
  const ids = [];
  for (const server of servers) ids.push(await fixture.startTask(server, {}, tool("wait")));
  const first = await fixture.startEngine();
  for (const id of ids) await queries.inState(id, "working");
  expect(first.leases).toBe(CONNECTIONS);
  const second = await fixture.startEngine();
  await holds(second, CONNECTIONS / 2);
  await holds(first, CONNECTIONS / 2);
  await first.stop();
  await holds(second, CONNECTIONS);
  expect(remote.calls).toHaveLength(CONNECTIONS);
});

test("an engine frozen inside a transaction on one connection blocks no other connection", async () => {
  const ids = [];
  for (const server of servers) ids.push(await fixture.startTask(server, {}, tool("wait")));
  const stuck = new pg.Client({ connectionString: fixture.adminUrl });
  await stuck.connect();
  try {
    await stuck.query("BEGIN");
    await stuck.query("SELECT 1 FROM connection WHERE id = $1 FOR SHARE", [servers[0]?.connectionId]);
    await fixture.startEngine();
    for (const id of ids.slice(1)) await queries.inState(id, "working");
    expect((await queries.task(ids[0] ?? "")).state).toBe("queued");
    await stuck.query("COMMIT");
  } finally {
    await stuck.end();
  }
  await queries.inState(ids[0] ?? "", "working");
  expect(remote.calls).toHaveLength(CONNECTIONS);
});

test("answers given while leases move are delivered, each once", async () => {
  const ids: string[] = [];
  for (const server of servers)
    for (let n = 0; n < 2; n++) ids.push(await fixture.startTask(server, {}, tool("approve")));
  let stays = await fixture.startEngine();
  const requests: string[] = [];
  for (const id of ids) requests.push((await queries.openRequest(id)).id);
  for (let at = 0; at < requests.length; at += CONNECTIONS) {
    const comes = await fixture.startEngine();
    await until("it has leases", async () => comes.leases > 0);
    const going = stays.stop();
    await Promise.all(requests.slice(at, at + CONNECTIONS).map((id) => fixture.answer(id, approve)));
    await going;
    stays = comes;
  }
  for (const id of ids) await queries.inState(id, "completed");
  expect(remote.answers).toHaveLength(ids.length);
  expect(remote.calls).toHaveLength(ids.length);
  for (const id of ids) expect(await queries.deliveryOfTask(id)).toMatchObject({ attempts: 1 });
});
