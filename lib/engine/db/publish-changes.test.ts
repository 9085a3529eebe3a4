/** The outbox of live-update hints, and when an engine looks into it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { withClient } from "../../../scripts/database/roles.ts";
import { until } from "../../../test/fixtures/organization-fixture.ts";
import { organizationForFile } from "../../../test/fixtures/organization-for-file.ts";
import { createDatabase, type Database } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { log } from "../../base/log.ts";
import { createNetwork } from "../../base/network/network.ts";
import { Engine } from "../engine.ts";
import { PUMP_AFTER_MS } from "../tunables.ts";
import { publishChanges } from "./publish-changes.ts";

const fixture = organizationForFile([]);
let database: Database;

beforeAll(async () => {
  database = createDatabase(fixture.engineEnvironment.ENGINE_DATABASE_URL ?? "", { connections: 4 });
});
afterAll(async () => {
  await database?.close();
});

const left = () =>
  withClient(fixture.adminUrl, async (client) => {
    const { rows } = await client.query("SELECT count(*)::integer AS count FROM change");
    return rows[0].count as number;
  });

test("an outbox full of the same hint is emptied by one call, and what stands behind it is sent", async () => {
  const [often, last] = [uuidv7(), uuidv7()];
  await withClient(fixture.adminUrl, async (client) => {
    const insert = "INSERT INTO change (organization_id, topic, entity_id) SELECT $1, 'task', $2";
    await client.query(`${insert} FROM generate_series(1, 1200)`, [fixture.organizationId, often]);
    await client.query(insert, [fixture.organizationId, last]);
  });
  const heard: string[] = [];
  await withClient(fixture.adminUrl, async (client) => {
    client.on("notification", ({ payload }) => heard.push(payload ?? ""));
    await client.query("LISTEN intray_change");
    await publishChanges(database);
    expect(await left()).toBe(0);
    await until("the last hint came", async () => heard.some((text) => text.includes(last)));
  });
});

test("an engine that is told waits a moment, for the hints of more commits, before it looks into the outbox", async () => {
  const looks: number[] = [];
  const counted: Database = {
    ...database,
    gate(query) {
      if (query.sql.includes("gate.take_")) looks.push(performance.now());
      return database.gate(query);
    },
  };
  const network = createNetwork({ allowHosts: [], denyPorts: [] });
  const directUrl = fixture.engineEnvironment.ENGINE_DATABASE_DIRECT_URL ?? "";
  const engine = new Engine({ database: counted, directUrl, network, seal: fixture.seal, log });
  await engine.start();
  await until("it listens, and looks for what it was not told of", async () => looks.length > 0);
  const waits: number[] = [];
  await withClient(fixture.adminUrl, async (client) => {
    while (waits.length < 3) {
      const before = looks.length;
      const told = performance.now();
      await client.query("NOTIFY intray_wake");
      await until("it looks", async () => looks.length > before);
      waits.push(looks[before]! - told);
    }
  });
  // One of them may have met the look of every ten seconds.
  expect(Math.max(...waits)).toBeGreaterThan(PUMP_AFTER_MS - 2);
  await engine.stop();
  await network.close();
});
