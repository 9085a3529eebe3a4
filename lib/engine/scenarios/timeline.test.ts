/** The database failed over, or was restored: engines look at its timeline before they send anything. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { pipeline } from "node:stream";
import pino from "pino";
import { beforeEach, expect, test, vi } from "vitest";
import { type EngineProcess, startEngineProcess } from "../../../test/engine-process.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { startTestServer, type TestServer } from "../../../test/servers/mcp-server.ts";
import { connectRaw, createTestDatabase } from "../../../test/setup/postgres.ts";
import { createDatabase, Prisma } from "../../base/db/db.ts";
import { resumeServer } from "../../servers/pause.ts";
import { TimelineWatch } from "../timeline.ts";

vi.mock("../tunables.ts", async (original) => ({
  ...(await original<typeof import("../tunables.ts")>()),
  TIMELINE_MS: 20,
}));

const fixture = organizationForFile(["127.0.0.1"]);
let remote: TestServer;
let server: { serverId: string; connectionId: string };

beforeEach(async () => {
  remote = await startTestServer();
  server = await fixture.addServer(remote.url, "2026-07-28");
  return () => remote.close();
});

const { inState } = createQueries(() => fixture);

/** As engines stored it before a failover. `ago`: when the last of them was there. */
async function wasOn(timeline: string, waited: boolean, ago = "30 s"): Promise<void> {
  await fixture.sql(
    `INSERT INTO database_timeline (timeline, waited) VALUES ($1, $2)
      ON CONFLICT (only_row) DO UPDATE SET timeline = $1, waited = $2`,
    [timeline, waited],
  );
  await fixture.sql("DELETE FROM engine");
  await fixture.sql(
    "INSERT INTO engine (id, seen_at, opens_content) VALUES (gen_random_uuid(), now() - $1::interval, true)",
    [ago],
  );
}
const stored = async () => (await fixture.sql("SELECT timeline, waited FROM database_timeline"))[0];
const pauseOf = async () =>
  (
    await fixture.sql("SELECT pause_reason AS reason, paused_by ->> 'name' AS by FROM server WHERE id = $1", [
      server.serverId,
    ])
  )[0];

async function withEngine(work: (engine: EngineProcess) => Promise<void>): Promise<void> {
  const engine = await startEngineProcess(fixture.engineEnvironment);
  try {
    await work(engine);
  } finally {
    await engine.kill();
  }
}

test("on another timeline nothing is sent before somebody has looked, and then once", async () => {
  await wasOn("0000000F", false);
  const id = await fixture.startTask(server, {}, tool("quick"));
  await withEngine(async () => {
    const { reason, by } = await until("it is paused", async () => {
      const pause = await pauseOf();
      return pause?.reason && pause;
    });
    expect(by).toBe("Failover");
    expect(reason).toContain("may have lost its last moments");
    expect(remote.calls).toEqual([]);
    expect(await stored()).toEqual({ timeline: "00000001", waited: false });
    await fixture.within((tx) => resumeServer(tx, fixture.operator, server.serverId));
    await inState(id, "completed");
    expect(remote.calls).toHaveLength(1);
  });
  // It is known now.
  const next = await fixture.startTask(server, {}, tool("quick"));
  await withEngine(() => inState(next, "completed").then(() => undefined));
  expect(await pauseOf()).toEqual({ reason: null, by: null });
});

test("where each commit waited for a standby nothing was lost, and all goes on", async () => {
  await wasOn("0000000F", true);
  const id = await fixture.startTask(server, {}, tool("quick"));
  await withEngine(() => inState(id, "completed").then(() => undefined));
  expect(await stored()).toEqual({ timeline: "00000001", waited: true });
  expect(await pauseOf()).toEqual({ reason: null, by: null });
});

test("a database from a backup says that commits waited, but no engine was there lately: nothing is sent before somebody has looked", async () => {
  await wasOn("0000000F", true, "1 hour");
  const id = await fixture.startTask(server, {}, tool("quick"));
  await withEngine(async () => {
    await until("it is paused", async () => (await pauseOf())?.by === "Failover");
    expect(remote.calls).toEqual([]);
    expect(await stored()).toEqual({ timeline: "00000001", waited: true });
    await fixture.within((tx) => resumeServer(tx, fixture.operator, server.serverId));
    await inState(id, "completed");
  });
});

test("where commits wait for nobody any more, a later failover is looked at, though the database failed just as that was noted", async () => {
  await wasOn("00000001", true);
  await fixture.sql(`CREATE SEQUENCE notes;
    GRANT USAGE ON SEQUENCE notes TO intray_engine;
    CREATE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF nextval('notes') = 1 THEN RAISE 'away' USING ERRCODE = '57P01'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER fail_first BEFORE UPDATE ON database_timeline FOR EACH ROW EXECUTE FUNCTION fail_first()`);
  const url = fixture.engineEnvironment.ENGINE_DATABASE_URL!;
  const database = createDatabase(url, { connections: 1 });
  const watch = new TimelineWatch(url, pino({ level: "silent" }));
  watch.start(database);
  await until("it is noted", async () => (await stored()).waited === false);
  await watch.stop();
  await database.close();
  await fixture.sql("DROP FUNCTION fail_first CASCADE");
});

test("a connection is used once its own database is settled, wherever the settling connection leads", async () => {
  await wasOn("0000000F", false);
  const elsewhere = await createTestDatabase();
  const own = fixture.engineEnvironment.ENGINE_DATABASE_DIRECT_URL!;
  const proxy = await secondElsewhere(own, elsewhere.engineDirectUrl);
  const watch = new TimelineWatch(proxy.url, pino({ level: "silent" }));
  const database = createDatabase(proxy.url, { connections: 1, admit: (client) => watch.admit(client) });
  expect(await database.gate(Prisma.sql`SELECT current_database() AS name`)).toEqual([
    { name: new URL(own).pathname.slice(1) },
  ]);
  expect((await pauseOf())?.by).toBe("Failover");
  await watch.stop();
  await database.close();
  proxy.close();
  await elsewhere.drop();
});

test("an engine works where the database shows no timeline, and says once that it will notice no failover", async () => {
  await wasOn("0000000F", false);
  await fixture.sql("REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM PUBLIC");
  const url = fixture.engineEnvironment.ENGINE_DATABASE_URL!;
  const lines: string[] = [];
  const watch = new TimelineWatch(url, pino({ level: "warn" }, { write: (line) => lines.push(line) }));
  const database = createDatabase(url, { connections: 2, admit: (client) => watch.admit(client) });
  const one = () => database.gate(Prisma.sql`SELECT pg_sleep(0.1)::text AS slept, 1 AS one`);
  await Promise.all([one(), one()]);
  await watch.stop();
  await database.close();
  await fixture.sql("GRANT EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) TO PUBLIC");
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    "the database does not show its timeline: no engine will notice a failover",
  ]);
  expect(await stored()).toEqual({ timeline: "0000000F", waited: false });
});

/** Leads each connection to the first database, and the second one elsewhere, as while a proxy takes both for the primary. */
async function secondElsewhere(first: string, second: string): Promise<{ url: string; close(): void }> {
  const nameOf = (url: string) => new URL(url).pathname.slice(1);
  let count = 0;
  const server = createServer((client) => {
    const isElsewhere = ++count === 2;
    const remote = connectRaw(isElsewhere ? second : first);
    client.once("data", (hello) => {
      // Names of test databases are equally long, so the message's length stays right.
      const text = hello.toString("latin1");
      remote.write(Buffer.from(isElsewhere ? text.replace(nameOf(first), nameOf(second)) : text, "latin1"));
      pipeline(client, remote, client, () => {}); // either end may hang up
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(first);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, close: () => void server.close() };
}
