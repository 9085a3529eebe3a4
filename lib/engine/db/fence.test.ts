import pino from "pino";
import { expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { createOrganizationFixture, until } from "../../../test/fixtures/organization-fixture.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { createDatabase } from "../../base/db/db.ts";
import { createNetwork } from "../../base/network/network.ts";
import type { ConnectionRow } from "../leases/takeover.ts";
import { Watcher } from "../watcher/watcher.ts";
import { GroupCommit } from "./group-commit.ts";
import { GroupScan } from "./group-scan.ts";

test("two that write how a connection is doing wait for each other, and never both for the other", async () => {
  const fixture = await createOrganizationFixture(["127.0.0.1"]);
  // Nothing listens on this port, whatever other tests do.
  const url = "http://127.0.0.1:9/mcp";
  const { serverId, connectionId } = await fixture.addServer(url, "auto");
  await fixture.startTask({ serverId, connectionId }, {}, tool("wait"));
  const connection: ConnectionRow = {
    organizationId: fixture.organizationId,
    slug: "test",
    connectionId,
    userId: null,
    url,
    authKind: "none",
    sealedCredentials: null,
    operatorEntry: null,
    serverId,
    eraSetting: "auto",
    era: null,
    traits: {},
    isWell: true,
    circuitFailures: 0,
    late: null,
    paused: false,
    pauses: 0,
    known: { settings: "", signedInAt: null },
  };
  const database = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_URL!, { connections: 8 });
  const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
  const watch = () =>
    new Watcher({
      database,
      groups: new GroupCommit(database),
      scans: new GroupScan(database),
      network,
      seal: fixture.seal,
      log: pino({ level: "silent" }),
      connection: { ...connection },
      epoch: 0n,
      mayChange: async () => undefined,
      isInTime: () => true,
      onLeaseLost: () => undefined,
      onOutdated: () => undefined,
    });
  // In one watcher, the end of a poll and the failure of another may write at once.
  const watchers = [watch(), watch()];
  await withClient(fixture.adminUrl, async (client) => {
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM connection WHERE id = $1 FOR SHARE", [connectionId]);
    for (const watcher of watchers) await watcher.begin(null, false);
    await until("both are about to write that the server can't be reached", async () => {
      // A transaction otherwise sees the statistics of its first look.
      await client.query("SELECT pg_stat_clear_snapshot()");
      const { rows } = await client.query(`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`);
      return rows.length >= 2;
    });
    await client.query("COMMIT");
  });
  const failures = async () =>
    (await fixture.within((tx) => tx.connection.findFirstOrThrow({ where: { id: connectionId } })))
      .circuitFailures;
  await until("it is written", async () => (await failures()) > 0);
  for (const watcher of watchers) await watcher.stop();
  // The sessions' statistics are complete once they have ended.
  await database.close();
  const deadlocks = await withClient(fixture.adminUrl, async (client) => {
    await until("they have ended", async () => {
      const { rows } = await client.query(`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND usename = 'intray_engine'`);
      return rows.length === 0;
    });
    const { rows } = await client.query(
      "SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()",
    );
    return rows[0].deadlocks;
  });
  expect(deadlocks).toBe(0);
  await network.close();
  await fixture.close();
});
